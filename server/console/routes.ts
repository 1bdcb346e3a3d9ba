import { auditPage } from './pages/audit.ts'
import { clockPage } from './pages/clock.ts'
import { deviceRoutes } from './pages/device/routes.ts'
import { devicesPage } from './pages/devices.ts'
import { linePage } from './pages/line/page.ts'
import { sessionsPage } from './pages/sessions.ts'
import type { Place, Route } from './parts/visit.ts'

/** The pages of the bar, in their order. */
export const PLACES: readonly Place[] = [
  { path: '/', name: ['Line', 'Trực tiếp'] },
  { path: '/devices', name: ['Devices', 'Loa'] },
  { path: '/audit', name: ['Audit', 'Nhật ký'] },
]

/** All routes of people who are logged in. */
export const ROUTES: readonly Route[] = [
  ...linePage,
  ...devicesPage,
  ...deviceRoutes,
  ...auditPage,
  ...sessionsPage,
  ...clockPage,
]
