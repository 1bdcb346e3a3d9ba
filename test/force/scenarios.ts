import { clock } from './clock.ts'
import { clusterFreeze, clusterKill, postgresKill, rolling } from './cluster.ts'
import { diskFull, fileLimit } from './disk-full.ts'
import { frozen } from './frozen.ts'
import { kill } from './kill.ts'
import { restart } from './restart.ts'
import type { Scenario } from './scenario.ts'
import { sigterm } from './sigterm.ts'
import { storm } from './storm.ts'

/** All scenarios. */
export const SCENARIOS: readonly Scenario[] = [
  kill,
  sigterm,
  diskFull,
  fileLimit,
  clock,
  frozen,
  storm,
  restart,
  clusterKill,
  clusterFreeze,
  postgresKill,
  rolling,
]
