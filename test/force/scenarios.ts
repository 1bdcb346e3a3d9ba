import { diskFull, fileLimit } from './disk-full.ts'
import { kill } from './kill.ts'
import { restart } from './restart.ts'
import type { Scenario } from './scenario.ts'
import { sigterm } from './sigterm.ts'
import { storm } from './storm.ts'

/** Everything that is done to a hub by force. */
export const SCENARIOS: readonly Scenario[] = [kill, sigterm, diskFull, fileLimit, restart, storm]
