import type { Presence } from '../devices/ports.ts'

/** Without another hub, no device is at another hub. */
export const NOT_ELSEWHERE: Presence = { isConnected: async () => false }
