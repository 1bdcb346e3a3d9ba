import { promises as dns } from 'node:dns'

/** For one question to one name server, and how often it is asked. */
const ASK = { timeout: 1_500, tries: 2 }

/**
 * Finds all addresses of a host name by DNS. Rejects when there are none, or no answer comes within some seconds. It does
 * not read /etc/hosts: `dns.lookup` does, and occupies one of the process's four threads for as long as a name server
 * hangs, so that some bad names would delay all others. `servers` replaces the machine's name servers.
 */
export async function resolveHost(host: string, servers?: readonly string[]): Promise<string[]> {
  const resolver = new dns.Resolver(ASK)
  if (servers) resolver.setServers(servers)
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (addresses.length > 0) return addresses
  throw new Error(`no address was found for ${host}`)
}
