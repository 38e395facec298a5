/** What an estimator is called where its baseline is part of what it is: `monte-carlo:grpo`. For reports and windows. */

interface Named {
  readonly label: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** As it was asked for, with the baseline that it took where the label leaves it open. */
export function estimatorName({ label, parameters }: Named): string {
  const { baseline } = parameters
  return label.includes(':') || typeof baseline !== 'string' ? label : `${label}:${baseline}`
}
