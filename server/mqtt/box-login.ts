import { createHash, timingSafeEqual } from 'node:crypto'
import type { Admitted } from './connection.ts'
import {
  CONNACK,
  type Connect,
  type LoginDeps,
  type Refused,
  rejected,
  unavailable,
  unreadable,
} from './login.ts'

/**
 * The box of a CONNECT, or why it is refused. A box names itself by its username or by its client id: its maker has chosen
 * one of them. The broker ignores its will and its request for a persistent session.
 */
export async function checkBox(
  { devices, boxes, ids, clock, log }: LoginDeps,
  { username, clientId, password, keepalive = 0 }: Connect,
): Promise<Admitted | Refused> {
  await clock.fresh?.()
  const names = [...new Set([username ?? '', clientId])].filter((name) => name !== '')
  const login = await devices.boxLogin(names).catch(unreadable(log))
  if (login === 'unavailable') return unavailable('the hub is unavailable')
  if (!login || login.revoked || !fits(password, login.loginHash))
    return { returnCode: CONNACK.badCredentials, why: 'unknown box or wrong password' }
  const session = await boxes.open(login)
  if ('refused' in session) return rejected(session.refused)
  const { codec, rules } = session
  const silentMs = 1_000 * keepalive || codec.ping?.everyMs
  if (silentMs === undefined) return rejected('no keepalive: nobody would know that the box is gone')
  const { deviceId, serial, loginHash } = login
  const identity = {
    ...{ deviceId, serial, login: loginHash.toString('hex') },
    ...{ sessionId: ids.commandId(), keepaliveMs: silentMs },
  }
  return { identity, codec, rules }
}

/** Boxes have simple passwords, or none. The hub stores only the hash. */
function fits(password: Buffer | undefined, loginHash: Buffer): boolean {
  const hash = createHash('sha256')
    .update(password ?? '')
    .digest()
  return timingSafeEqual(hash, loginHash)
}
