export { ProbesScreen } from './ProbesScreen.tsx'
