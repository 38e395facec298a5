/** The version of this program, recorded with every run. */
import packageFile from '../../package.json' with { type: 'json' }

export const codeVersion: string = packageFile.version
