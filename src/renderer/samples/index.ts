export { SamplesPanel } from './SamplesPanel.tsx'
