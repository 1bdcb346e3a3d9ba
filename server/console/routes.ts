import { auditPage } from './pages/audit.ts'
import { dayPage } from './pages/day/page.ts'
import { paymentPages } from './pages/payments/routes.ts'
import { searchPage } from './pages/search.ts'
import { webhookPages } from './pages/webhooks/routes.ts'
import type { Place, Route } from './parts/visit.ts'

/** The pages of the bar, in their order. */
export const PLACES: readonly Place[] = [
  { path: '/payments', name: ['Payments', 'Giao dịch'] },
  { path: '/day', name: ['Day', 'Ngày'] },
  { path: '/webhooks', name: ['Webhooks', 'Webhook'] },
  { path: '/audit', name: ['Audit', 'Nhật ký'] },
]

/** All routes of people who are logged in. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/', role: 'viewer', answer: ({ c }) => c.redirect('/audit') },
  ...paymentPages,
  ...dayPage,
  ...webhookPages,
  ...searchPage,
  ...auditPage,
]
