import { createBoundedMap } from '../platform/bounded-map.ts'
import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { KeyedLock } from '../platform/keyed-lock.ts'
import { byPartner } from '../security/actor.ts'
import type { Vault } from '../security/vault.ts'
import { type AbilitiesOf, cannot } from './abilities.ts'
import { assertDone } from './answer.ts'
import type { CodeRecords, DeviceRecords, Presence, Screens } from './ports.ts'
import {
  CODE_VALID_MS,
  CODES_PER_PERIOD,
  type CodeQuota,
  countCode,
  freeAgainAt,
  PERIOD_MS,
} from './verification-code.ts'

interface SendVerificationDeps {
  devices: DeviceRecords
  codes: CodeRecords
  screens: Screens
  presence: Presence
  abilitiesOf: AbilitiesOf
  vault: Vault
  clock: Clock
  ids: Ids
  lock: KeyedLock
}

/** Devices whose last failure is kept. A dropped one costs its waiting calls another wait. */
const FAILURES = 1_000

/**
 * Shows a new code on a device, or lets it say the code, and reveals it nowhere else. The code is issued and counted only
 * when the device confirms it. Calls for one device run one after another, so that the quota and the screen agree. Throws
 * DEVICE_CANNOT for a device that has a printed label instead.
 *
 * The screen has the newest code. Another partner's code that it replaces stays good, but is not shown again: the hub
 * keeps no code that it could show.
 */
export function sendVerification(deps: SendVerificationDeps) {
  let calls = 0
  /** A device's last failure, and the number of calls made by then. */
  const failures = createBoundedMap<{ error: unknown; calls: number }>(FAILURES)

  return async function sendVerification(clientId: string, serial: string) {
    const device = await deps.devices.findFor(clientId, serial)
    if (!device) throw deviceUnknown()
    const { pairing: channel } = await deps.abilitiesOf(device)
    if (channel === 'label')
      throw cannot(
        'deviceSerial',
        'can neither show nor say a code: register it with the 12 characters of its printed label as verificationCode',
      )
    calls += 1
    const call = calls
    return deps.lock.run(`code/${device.id}`, async () => {
      // A call that waited while the device did not respond fails too, instead of waiting for another timeout.
      const failure = failures.get(device.id)
      if (failure && failure.calls >= call) throw failure.error
      try {
        return { ...(await showAndIssue(deps, clientId, device.id, serial)), channel }
      } catch (error) {
        if (!isOfPartner(error)) failures.set(device.id, { error, calls })
        throw error
      }
    })
  }
}

/** Whether another partner could have succeeded. */
function isOfPartner(error: unknown): boolean {
  return error instanceof HubError && error.kind === 'VERIFICATION_QUOTA'
}

async function showAndIssue(
  { codes, screens, presence, vault, clock, ids }: SendVerificationDeps,
  clientId: string,
  deviceId: string,
  serial: string,
) {
  const before = await codes.before(clientId, deviceId)
  if (!countCode(before, clock.now())) throw quotaUsed(freeAgainAt(before, clock.now()), clock.now())
  if (!(await presence.isConnected(serial))) throw new HubError('DEVICE_OFFLINE')

  const code = ids.verificationCode()
  const expiresAt = clock.now() + CODE_VALID_MS
  const answer = await screens.showCode(deviceId, code, expiresAt)
  assertDone(answer, () => new HubError('DEVICE_DISPLAY_FAILED'))
  const [hash] = codeHashes(vault, clientId, serial, code)
  let issued: CodeQuota | undefined
  try {
    const issuing = { id: ids.uuid(), deviceId, clientId, hash, expiresAt }
    issued = await codes.issue(byPartner(clientId), issuing, clock.now())
  } finally {
    // A code that was not issued must not stay on the screen.
    if (!issued) screens.clearCode(deviceId)
  }
  if (!issued) throw quotaUsed(freeAgainAt(await codes.before(clientId, deviceId), clock.now()), clock.now())
  return {
    serial,
    expiresAt,
    codesRemaining: CODES_PER_PERIOD - issued.issued,
    periodEndsAt: issued.periodStartedAt + PERIOD_MS,
  }
}

/** A code's hash under each master key, the one that seals first, bound to its partner and device. */
export function codeHashes(
  vault: Vault,
  clientId: string,
  serial: string,
  code: string,
): [Buffer, ...Buffer[]] {
  return vault.fingerprints(`verification/${clientId}/${serial}`, code)
}

/** The same error for an unknown device and for another partner's. */
export function deviceUnknown(): HubError {
  return fieldError('BODY_DEVICE_NOT_FOUND', 'deviceSerial', 'is not a device that you can use')
}

/** The partner may have one more code at `freeAt`. */
export function quotaUsed(freeAt: number, at: number): HubError {
  const retryAfterS = Math.max(1, Math.ceil((freeAt - at) / 1000))
  return new HubError('VERIFICATION_QUOTA', { retryAfterS })
}
