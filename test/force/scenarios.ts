import { boxes } from './boxes.ts'
import { clock } from './clock.ts'
import { clusterCut, clusterFreeze, clusterKill, rolling } from './cluster.ts'
import { crashStates } from './crash-states.ts'
import { diskFull, fileLimit } from './disk-full.ts'
import { frozen } from './frozen.ts'
import { kill } from './kill.ts'
import { postgresFailover, postgresHang, postgresKill } from './postgres.ts'
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
  crashStates,
  clock,
  frozen,
  storm,
  restart,
  boxes,
  clusterKill,
  clusterFreeze,
  clusterCut,
  postgresKill,
  postgresHang,
  postgresFailover,
  rolling,
]
