import { isoInstant } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { Storage } from '../../storage/ports.ts'
import { confirmClock, readClockState } from '../clock-doubt.ts'
import { when } from '../for-people.ts'
import { done, type Outcome } from './output.ts'
import type { Workspace } from './workspace.ts'

/** Says that the clock is right. */
export async function clockConfirm(workspace: Pick<Workspace, 'by' | 'storage' | 'clock'>): Promise<Outcome> {
  const at = await confirmClock(workspace)
  return done(
    { confirmed: true, at: isoInstant(at) },
    `Confirmed that it is ${when(at)}. Retention goes on, and a hub that is not ready for its clock is ready, within a minute.`,
  )
}

/** What doctor says of retention. A clock in doubt is wrong: rows are kept that should be gone. */
export async function reportRetention({ audit }: Pick<Storage, 'audit'>): Promise<string> {
  const { doubt } = await readClockState(audit)
  if (!doubt) return 'goes by the clock'
  const { why, jumpMs } = doubt
  const hours = Math.round(Math.abs(jumpMs) / 3_600_000)
  const isBack = jumpMs < 0
  const moved =
    why === 'start'
      ? `at a start the clock was ${hours} hours ${isBack ? 'behind' : 'after'} the newest payment`
      : `the clock was set ${isBack ? 'back' : 'forward'} by ${hours} hours`
  throw new OperatorError(
    `Deletes nothing: ${moved}. It goes on when the clock has been steady for 24 hours; or check the time, then run: hub clock confirm.`,
  )
}
