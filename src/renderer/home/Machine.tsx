/** What this machine has to give, in one line: device, memory, disk, storage used; more on the doctor's screen. */
import { Group, Text } from '@mantine/core'
import { useAnswer } from '../bridge/index.ts'
import { Notice, Status } from '../parts/index.ts'
import { Link } from '../routes/index.ts'

const shown = ['devices', 'memory', 'disk', 'storage']

export function Machine() {
  const { value, error } = useAnswer('doctor.run', {})
  if (error !== undefined)
    return (
      <Notice tone="bad" title="This machine could not be checked">
        {error}
      </Notice>
    )
  if (value === undefined) return <Group h={20} mb="md" />
  const wrong = value.checks.filter(({ status }) => status === 'failed')
  return (
    <>
      {wrong.map((check) => (
        <Notice key={check.name} tone="bad" title={check.name} action={<Link to={{ screen: 'doctor' }}>Doctor</Link>}>
          {check.detail}
        </Notice>
      ))}
      <Group gap="4px 18px" mb="md" mih={20}>
        <Link to={{ screen: 'doctor' }} size="xs">
          This machine
        </Link>
        {value.checks
          .filter(({ name, status }) => shown.includes(name) && status !== 'failed')
          .map((check) => (
            <Text key={check.name} size="xs" c="dimmed">
              {check.status === 'warning' && <Status status="warning" />} {check.name}: {check.detail}
            </Text>
          ))}
      </Group>
    </>
  )
}
