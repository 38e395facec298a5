export { ReportScreen } from './ReportScreen.tsx'
