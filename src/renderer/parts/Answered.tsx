/** An answer on a screen: loading, failed with a way to try again, or shown; a value once known stays while it is renewed. */
import type { ReactNode } from 'react'
import type { Answer } from '../bridge/index.ts'
import { Loading } from './Loading.tsx'
import { Failure } from './Notice.tsx'

interface Props<T> {
  readonly answer: Answer<T>
  readonly children: (value: T) => ReactNode
  readonly what?: string
}

export function Answered<T>({ answer, children, what }: Props<T>) {
  if (answer.value === undefined) {
    if (answer.error !== undefined) return <Failure message={answer.error} retry={answer.refresh} />
    return <Loading {...(what === undefined ? {} : { what })} />
  }
  return (
    <>
      {answer.error !== undefined && (
        <Failure title="This may be out of date" message={answer.error} retry={answer.refresh} />
      )}
      {children(answer.value)}
    </>
  )
}
