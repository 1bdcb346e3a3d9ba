import { NO_WAKEUPS } from '../../../server/cluster/wakeups.ts'
import { joinHubs } from '../../../server/hub.ts'
import { serve } from '../../force/parts/serve.ts'

/*
 * The process of server/main.ts that wakes no other hub. It still looks each second for what no wake-up has told.
 */

await serve({
  join: async (...args) => ({ ...(await joinHubs(...args)), wakeups: { ...NO_WAKEUPS, isAlone: false } }),
})
