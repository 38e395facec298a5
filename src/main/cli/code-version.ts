/** The version that `--version` prints. */
import packageFile from '../../../package.json' with { type: 'json' }

export const codeVersion: string = packageFile.version
