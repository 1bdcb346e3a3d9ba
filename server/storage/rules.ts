import { provesMore, STAGES, stagesBefore } from '../announcements/announcement.ts'
import { dueLimits, expiriesOfQueued } from '../announcements/expiry.ts'
import { reconcile } from '../announcements/reconcile.ts'
import { chooseScreen } from '../announcements/screen.ts'
import { isBatteryLow } from '../devices/health.ts'
import { isLabel } from '../devices/label.ts'
import {
  CODES_COMPARED,
  CODES_PER_DEVICE,
  countCode,
  freeAgainAt,
  judgeCode,
} from '../devices/verification-code.ts'
import { endingSecrets, liveSecrets } from '../partners/partner.ts'
import { judgeRefresh } from '../partners/rotation.ts'
import { resultOf } from '../payments/day-sum.ts'
import { repeatOfDeleted, settleWith } from '../payments/settle.ts'
import { catchUpSettings, isPending, languageAfterBirth, planSettings } from '../settings/settings.ts'
import { plainName } from '../stores/plain-name.ts'
import { afterChange } from '../webhooks/change.ts'
import { judgeProgress } from '../webhooks/progress.ts'
import { MOST_WEBHOOKS } from '../webhooks/webhook.ts'
import type { StorageIds } from './ports.ts'

/**
 * The rules of the nouns that an act applies between its reads and its writes. All are pure, except that `settle`
 * makes ids. An act, and with it its rules, runs again when another act of the same commit fails.
 *
 * Why the storage gets all of them when it opens, and no act takes one as an argument: an act may run in another
 * thread, to which no function can be sent. Every storage applies the same rules; none has rules of its own.
 */
export type StorageRules = ReturnType<typeof hubRules>

export function hubRules(ids: StorageIds) {
  return {
    repeatOfDeleted,
    settle: settleWith(ids),
    planSettings,
    catchUpSettings,
    isPending,
    isBatteryLow,
    languageAfterBirth,
    judgeCode,
    countCode,
    freeAgainAt,
    isLabel,
    codesCompared: CODES_COMPARED,
    codesPerDevice: CODES_PER_DEVICE,
    judgeRefresh,
    liveSecrets,
    endingSecrets,
    stages: STAGES,
    stagesBefore,
    provesMore,
    reconcile,
    dueLimits,
    expiriesOfQueued,
    chooseScreen,
    plainName,
    resultOf,
    mostWebhooks: MOST_WEBHOOKS,
    afterChange,
    judgeProgress,
  }
}
