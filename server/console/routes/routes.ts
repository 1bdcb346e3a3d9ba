import { auditPage } from '../pages/audit.ts'
import { clockPage } from '../pages/clock.ts'
import { dayPage } from '../pages/day/page.ts'
import { statementPages } from '../pages/day/statement-routes.ts'
import { deviceRoutes } from '../pages/device/routes.ts'
import { devicesPage } from '../pages/devices.ts'
import { linePage } from '../pages/line/page.ts'
import { paymentPages } from '../pages/payments/routes.ts'
import { searchPage } from '../pages/search.ts'
import { sessionsPage } from '../pages/sessions.ts'
import { webhookPages } from '../pages/webhooks/routes.ts'
import type { Place, Route } from '../parts/visit.ts'

/** The pages of the bar, in their order. */
export const PLACES: readonly Place[] = [
  { path: '/', name: ['Line', 'Trực tiếp'] },
  { path: '/devices', name: ['Devices', 'Loa'] },
  { path: '/payments', name: ['Payments', 'Giao dịch'] },
  { path: '/day', name: ['Day', 'Ngày'] },
  { path: '/webhooks', name: ['Webhooks', 'Webhook'] },
  { path: '/audit', name: ['Audit', 'Nhật ký'] },
]

/** All routes of people who are logged in. */
export const ROUTES: readonly Route[] = [
  ...linePage,
  ...devicesPage,
  ...deviceRoutes,
  ...paymentPages,
  ...dayPage,
  ...statementPages,
  ...webhookPages,
  ...searchPage,
  ...auditPage,
  ...sessionsPage,
  ...clockPage,
]
