import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { reason } from '../../platform/errors.ts'

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

/** The folder of the secrets with which `hub listen` signs for this user. The machine may have no data folder. */
export function secretFolder(env: Record<string, string | undefined>): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'soundbox-hub', 'listen')
}

export interface SecretOptions {
  folder: string
  clientId: string
  /** Replaces the stored secret by a new one. */
  isNew: boolean
  make: () => string
  complain: (sentence: string) => void
}

/** The secret that signs the events of a client on this machine: the same one each time. */
export function listenSecret({ folder, clientId, isNew, make, complain }: SecretOptions): string {
  const file = join(folder, `${encodeURIComponent(clientId)}.whsec`)
  const kept = isNew ? undefined : readSecret(file)
  if (kept !== undefined) return kept
  const secret = make()
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return keep(file, secret, isNew)
  } catch (error) {
    complain(`The secret can't be kept (${reason(error)}): the next start will have another one.`)
    return secret
  }
}

/** Stores the secret whole or not at all. Of two commands that start at once, both use the secret of the first. */
function keep(file: string, secret: string, isNew: boolean): string {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600 })
  try {
    if (isNew) renameSync(draft, file)
    else linkSync(draft, file)
    return secret
  } catch (error) {
    const other = readSecret(file)
    if (other !== undefined && !isNew) return other
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function readSecret(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim()
    return SECRET.test(text) ? text : undefined
  } catch {
    return undefined
  }
}
