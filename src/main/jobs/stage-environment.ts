/** The environment of a stage process: what libraries need to load and nothing that names the user's data. */

/** Never passed: HOME and data folders, NODE_OPTIONS, and variables that change the number of threads. */
const needed = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'windir',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'CUDA_PATH',
  'CUDA_VISIBLE_DEVICES',
  'VK_ICD_FILENAMES',
  'XDG_RUNTIME_DIR',
]

export function stageEnvironment(from: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of needed) {
    const value = from[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}
