/** Where things are kept, what they run on, how the window looks. */
import { NativeSelect, NumberInput, SegmentedControl, Switch, Text } from '@mantine/core'
import type { Preferences } from '../../shared/ipc.ts'
import { useAnswer } from '../bridge/index.ts'
import { Failure, Loading, Notice, Screen } from '../parts/index.ts'
import { Link } from '../routes/index.ts'
import { useSingleKeys } from '../shell/local-settings.ts'
import { counted } from '../words/index.ts'
import classes from './settings.module.css'
import { usePreferences } from './use-preferences.ts'

const devices: readonly { readonly value: Preferences['device']; readonly label: string }[] = [
  { value: 'auto', label: 'auto: the fastest that works' },
  { value: 'cpu', label: 'cpu' },
  { value: 'webgpu', label: 'webgpu' },
  { value: 'cuda', label: 'cuda' },
  { value: 'dml', label: 'dml (DirectML)' },
  { value: 'coreml', label: 'coreml' },
]

export default function SettingsScreen() {
  const { value: info } = useAnswer('app.info', {})
  const { preferences, warning, problem, save } = usePreferences()
  const [singleKeys, setSingleKeys] = useSingleKeys()
  if (preferences === undefined) {
    return <Screen title="Settings">{problem === undefined ? <Loading /> : <Failure message={problem} />}</Screen>
  }
  const change = (part: Partial<Preferences>) => void save({ ...preferences, ...part }).catch(() => {})
  return (
    <Screen title="Settings" question="Where things are kept and what they run on">
      {warning !== null && <Notice tone="warn">{warning}</Notice>}
      {problem !== undefined && <Failure title="It was not saved" message={problem} />}
      <div className={classes.rows}>
        <h2>Home</h2>
        <div>
          <code>{info?.home}</code>
          <Text size="xs" c="dimmed">
            Studies, runs and reports. Another folder: start with <code>--home</code> or RECOMPENSE_HOME.
          </Text>
        </div>
        <h2 id="theme">Theme</h2>
        <SegmentedControl
          aria-labelledby="theme"
          value={preferences.theme}
          data={[
            { value: 'system', label: 'As the system' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={(theme) => change({ theme: theme as Preferences['theme'] })}
        />
        <h2>Computing</h2>
        <div className={classes.pair}>
          <NativeSelect
            label="Device"
            data={[...devices]}
            value={preferences.device}
            onChange={(event) => change({ device: event.currentTarget.value as Preferences['device'] })}
          />
          <NumberInput
            label="Threads"
            description="0: one for each physical core"
            min={0}
            max={256}
            allowDecimal={false}
            value={preferences.threads}
            onChange={(threads) => typeof threads === 'number' && change({ threads })}
          />
          <Text size="xs" c="dimmed">
            Same seed, device and threads give the same bytes. What runs now keeps what it began with.
          </Text>
        </div>
        <h2>Models</h2>
        <div>
          {counted(preferences.model_folders.length, 'folder')} looked through.{' '}
          <Link to={{ screen: 'models' }}>Models</Link>
        </div>
        <h2>Keys</h2>
        <Switch
          size="xs"
          label="Single keys act (j, k, /, g s, ?)"
          checked={singleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        <h2>Version</h2>
        <div>
          {info?.version} · {info?.host === 'electron' ? 'desktop' : 'browser'} ·{' '}
          <Link to={{ screen: 'doctor' }}>Doctor</Link>
        </div>
      </div>
    </Screen>
  )
}
