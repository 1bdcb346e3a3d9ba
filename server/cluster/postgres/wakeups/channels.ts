import type { Vault } from '../../../security/vault.ts'

/** PostgreSQL takes a name of 63 bytes. */
const HEX_DIGITS = 48

/**
 * The channel of wake-ups, whose name follows from the master key, and then those of the other keys of a vault.
 *
 * Why a secret name: every role that may connect can LISTEN and NOTIFY on any channel that it knows. PostgreSQL shows the
 * channels of a session to that session alone, and its statements to superusers and pg_read_all_stats. So a stranger can
 * neither read which devices are woken, nor wake any. A MAC in each payload would not hide the devices.
 *
 * While the master key is changed, some hubs know one key and some two. Each listens on the channels of all that it knows.
 */
export function wakeChannels(vault: Pick<Vault, 'fingerprints'>): [string, ...string[]] {
  const [inForce, ...others] = vault.fingerprints('cluster', 'wake-ups')
  return [nameOf(inForce), ...others.map(nameOf)]
}

function nameOf(fingerprint: Buffer): string {
  return `hub_${fingerprint.toString('hex').slice(0, HEX_DIGITS)}`
}
