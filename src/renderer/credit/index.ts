export { CreditScreen } from './CreditScreen.tsx'
