import { ANNOUNCEMENT_FRESH_MS } from '../../../server/announcements/announcement.ts'
import { byPartner } from '../../../server/security/actor.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { OPERATOR } from '../../support/actors.ts'
import { AT, bornWith, type LinkedSpeaker, ownerOf } from './shop.ts'

/** When all announcements of AT are over. */
export const STALE_AT = AT + ANNOUNCEMENT_FRESH_MS
const HOUR_MS = 3_600_000

type Of = (
  storage: Pick<Storage, 'outbox' | 'devices'>,
  world: { clientId: string; speaker: LinkedSpeaker },
) => Promise<unknown>

export interface LongAct {
  name: string
  /** Brings the announcements to where the act begins. */
  prepare?: Of
  run: Of
  /** Of the announcements that the act has still to move. */
  left: string
}

const OPEN = "stage = 'queued'"

/** Acts that move all announcements of a speaker, which may be many: page by page. */
export const LONG_ACTS: LongAct[] = [
  { name: 'a sweep', run: ({ outbox }) => outbox.expire(STALE_AT), left: OPEN },
  {
    name: 'a birth after everything is over',
    run: ({ outbox }, { speaker }) =>
      outbox.begin(ownerOf(speaker.deviceId), STALE_AT, { born: bornWith({ played: 0 }) }),
    left: OPEN,
  },
  {
    name: 'a birth after a restore',
    run: ({ outbox }, { speaker }) =>
      outbox.begin(ownerOf(speaker.deviceId), AT, { born: bornWith({ played: 5_000 }) }),
    left: 'n <= 5000',
  },
  {
    name: 'a lock',
    run: ({ devices }, { clientId, speaker }) =>
      devices.setActive(byPartner(clientId), speaker.serial, false, AT),
    left: OPEN,
  },
  {
    name: 'a revocation',
    run: ({ devices }, { speaker }) => devices.revoke(OPERATOR, speaker.serial, AT),
    left: OPEN,
  },
  {
    name: 'a release of a speaker with much to say',
    run: ({ devices }, { clientId, speaker }) => devices.unregister(byPartner(clientId), speaker.serial, AT),
    left: OPEN,
  },
  {
    name: 'a release of a speaker that has missed much',
    prepare: ({ outbox }) => outbox.expire(STALE_AT),
    run: ({ devices }, { clientId, speaker }) => devices.unregister(byPartner(clientId), speaker.serial, AT),
    left: 'missed_shown_at IS NULL',
  },
  {
    name: 'a clock that was set back',
    run: ({ outbox }) => outbox.clockSetBack(AT - HOUR_MS),
    left: `expires_at > ${AT - HOUR_MS}`,
  },
]
