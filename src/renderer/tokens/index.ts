export { LatticePanel } from './LatticePanel.tsx'
