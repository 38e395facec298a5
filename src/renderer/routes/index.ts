/** Places of the window and ways between them. */
export { type CreditRoute, type CreditTab, creditTabs, plainCredit } from './credit-route.ts'
export { Link } from './Link.tsx'
export { hashOf, home, placeKey, type Route, routeOf, studyOf, type WizardName } from './route.ts'
export { go, replace, useRoute } from './use-route.ts'
