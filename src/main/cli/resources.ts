/** Files that come with the program. */
export { embeddedModel } from '../workbench/embedded-model.ts'
