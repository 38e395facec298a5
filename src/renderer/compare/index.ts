export { CompareScreen } from './CompareScreen.tsx'
