import { auditPage } from './pages/audit.ts'
import { linePage } from './pages/line/page.ts'
import type { Place, Route } from './parts/visit.ts'

/** The pages of the bar, in their order. */
export const PLACES: readonly Place[] = [
  { path: '/', name: ['Line', 'Trực tiếp'] },
  { path: '/audit', name: ['Audit', 'Nhật ký'] },
]

/** All routes of people who are logged in. */
export const ROUTES: readonly Route[] = [...linePage, ...auditPage]
