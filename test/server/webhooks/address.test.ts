import { describe, expect, it } from 'vitest'
import { NO_NETWORK, readNetworks } from '../../../server/platform/net/address.ts'
import { checkUrl, readTarget, refusal } from '../../../server/webhooks/address.ts'

const PUBLIC = '93.184.215.14'

/** The names of a test's own name service. */
function check(
  text: string,
  { names = {}, allow = '' }: { names?: Record<string, string[]>; allow?: string } = {},
) {
  return checkUrl(text, {
    allow: (allow === '' ? undefined : readNetworks(allow)) ?? NO_NETWORK,
    resolve: async (host) => {
      const found = names[host]
      if (!found) throw new Error('no such name')
      return found
    },
  })
}

async function why(...args: Parameters<typeof check>): Promise<string | undefined> {
  const checked = await check(...args)
  return checked.ok ? undefined : checked.why
}

const LOOPBACK = /a loopback address$/
const LINK_LOCAL = /a link-local address$/
const PRIVATE = /a private address$/
const PORT = /^must have no port, 443, or one above 1023 that no other service has$/
const UNSPECIFIED = /an unspecified address$/

describe("a webhook's URL", () => {
  it.each([
    ['http://93.184.215.14/', /plain http is taken only to networks/],
    ['ftp://example.com/', /must begin with https/],
    ['file:///etc/passwd', /must begin with https/],
    ['gopher://example.com/', /must begin with https/],
    ['javascript:alert(1)', /must begin with https/],
    ['data:text/plain,x', /must begin with https/],
    ['wss://example.com/', /must begin with https/],
    ['', /must be a URL/],
    ['example.com/hook', /must be a URL/],
    ['https://', /must be a URL/],
    ['https://exa mple.com/', /must be a URL/],
    ['https://example.com:99999/', /must be a URL/],
    ['https://256.0.0.1/', /must be a URL/],
    ['https://1.2.3.4.5/', /must be a URL/],
    ['https://[::1/', /must be a URL/],
    ['https://[::1]./', /must be a URL/],
    ['https://[fe80::1%25eth0]/', /must be a URL/],
    ['https://[fe80::1%eth0]/', /must be a URL/],
    ['https://user:password@example.com/', /user name or password/],
    ['https://user@example.com/', /user name or password/],
    ['https://:password@example.com/', /user name or password/],
    ['https://example.com@127.0.0.1/', /user name or password/],
    ['https://example.com:0/', PORT],
    ['https://example.com:22/', PORT],
    ['https://example.com:80/', PORT],
    ['https://example.com:1023/', PORT],
    ['https://example.com:6667/', PORT],
    ['https://example.com:10080/', PORT],
    ['https://127.0.0.1:22/', PORT],
    ['https://example.com./', /a dot/],
    ['https://localhost/', /localhost/],
    ['https://LOCALHOST/', /localhost/],
    ['https://api.localhost/', /localhost/],
    ['https://localhost./', /a dot/],
    ['https://127.0.0.1/', LOOPBACK],
    ['https://127.0.0.1./', LOOPBACK],
    ['https://127.255.255.254:8443/', LOOPBACK],
    ['https://127.1/', LOOPBACK],
    ['https://2130706433/', LOOPBACK],
    ['https://0x7f000001/', LOOPBACK],
    ['https://0x7f.0.0.1/', LOOPBACK],
    ['https://017700000001/', LOOPBACK],
    ['https://0177.0.0.01/', LOOPBACK],
    ['https://①②⑦.0.0.1/', LOOPBACK],
    ['https://%31%32%37.0.0.1/', LOOPBACK],
    ['https:\\\\127.0.0.1\\', LOOPBACK],
    ['https:127.0.0.1', LOOPBACK],
    ['https://0/', UNSPECIFIED],
    ['https://0.0.0.0/', UNSPECIFIED],
    ['https://0.1.2.3/', UNSPECIFIED],
    ['https://10.0.0.1/', PRIVATE],
    ['https://10.255.255.255/', PRIVATE],
    ['https://172.16.0.1/', PRIVATE],
    ['https://172.31.255.255/', PRIVATE],
    ['https://192.168.1.1/', PRIVATE],
    ['https://3232235777/', PRIVATE],
    ['https://100.64.0.1/', /CGNAT/],
    ['https://100.100.100.200/', /CGNAT/],
    ['https://100.127.255.255/', /CGNAT/],
    ['https://169.254.169.254/latest/meta-data/', LINK_LOCAL],
    ['https://0xa9fea9fe/', LINK_LOCAL],
    ['https://168.63.129.16/', /cloud provider/],
    ['https://192.0.0.192/', /a reserved address/],
    ['https://192.0.2.1/', /documentation/],
    ['https://198.51.100.1/', /documentation/],
    ['https://203.0.113.1/', /documentation/],
    ['https://198.18.0.1/', /benchmarks/],
    ['https://198.19.255.255/', /benchmarks/],
    ['https://192.88.99.1/', /a reserved address/],
    ['https://224.0.0.1/', /multicast/],
    ['https://239.255.255.255/', /multicast/],
    ['https://240.0.0.1/', /a reserved address/],
    ['https://255.255.255.255/', /broadcast/],
    ['https://[::]/', UNSPECIFIED],
    ['https://[0:0:0:0:0:0:0:0]/', UNSPECIFIED],
    ['https://[::1]/', LOOPBACK],
    ['https://[0000:0000::0001]/', LOOPBACK],
    ['https://[::ffff:127.0.0.1]/', /IPv4-mapped/],
    ['https://[::ffff:a9fe:a9fe]/', /IPv4-mapped/],
    ['https://[::ffff:93.184.215.14]/', /IPv4-mapped/],
    ['https://[0:0:0:0:0:ffff:7f00:1]/', /IPv4-mapped/],
    ['https://[::127.0.0.1]/', /IPv4-compatible/],
    ['https://[::2]/', /IPv4-compatible/],
    ['https://[::ffff:0:127.0.0.1]/', /IPv4-translated/],
    ['https://[64:ff9b::7f00:1]/', /NAT64/],
    ['https://[64:ff9b::169.254.169.254]/', /NAT64/],
    ['https://[64:ff9b:1::1]/', /NAT64/],
    ['https://[2002:7f00:1::]/', /6to4/],
    ['https://[2002:a9fe:a9fe::1]/', /6to4/],
    ['https://[2001::1]/', /Teredo/],
    ['https://[2001:0:53aa:64c:0:0:80ff:fffe]/', /Teredo/],
    ['https://[2001:10::1]/', /a reserved address/],
    ['https://[2001:2::1]/', /benchmarks/],
    ['https://[2001:db8::1]/', /documentation/],
    ['https://[3fff::1]/', /documentation/],
    ['https://[fc00::1]/', PRIVATE],
    ['https://[fd00:ec2::254]/', PRIVATE],
    ['https://[fe80::1]/', LINK_LOCAL],
    ['https://[febf::1]/', LINK_LOCAL],
    ['https://[fec0::1]/', /site-local/],
    ['https://[ff02::1]/', /multicast/],
    ['https://[100::1]/', /a reserved address/],
    ['https://[5f00::1]/', /a reserved address/],
    ['https://[4000::1]/', /a reserved address/],
  ])('%s is refused', async (url, reason) => {
    expect(await why(url)).toMatch(reason)
  })

  it.each([
    ['https://93.184.215.14/hook', 'https://93.184.215.14/hook'],
    ['https://93.184.215.14:8443/hook?x=1', 'https://93.184.215.14:8443/hook?x=1'],
    [
      'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
      'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    ],
    ['https://172.15.255.255/', 'https://172.15.255.255/'],
    ['https://172.32.0.0', 'https://172.32.0.0/'],
    ['https://100.128.0.1/', 'https://100.128.0.1/'],
    ['https://1.1.1.1:443/', 'https://1.1.1.1/'],
    ['https://1.1.1.1:1024/', 'https://1.1.1.1:1024/'],
    ['HTTPS://Quán.Example/a', 'https://xn--qun-fla.example/a'],
    ['https://nowhere.example/', 'https://nowhere.example/'],
    ['https://localhost.example/', 'https://localhost.example/'],
  ])('%s is taken, normalised, also when its name has no address yet', async (url, taken) => {
    expect(await check(url)).toEqual({ ok: true, url: taken })
  })

  it('is refused when one of the addresses of its name is, and the refusal tells nothing of it', async () => {
    const names = (...addresses: string[]) => ({ names: { 'a.example': addresses } })
    const url = 'https://a.example/'
    expect(await check(url, names(PUBLIC, '2606:2800::1'))).toEqual({ ok: true, url })
    const mapped = ['::ffff:10.0.0.1', `::ffff:${PUBLIC}`, '::ffff:5db8:d70e']
    for (const address of [...mapped, '127.0.0.1', '::1', '10.0.0.1', 'fe80::1%eth0', 'rubbish', ''])
      for (const list of [[address], [PUBLIC, address], [address, PUBLIC]])
        expect(await why(url, names(...list)), address).toBe(
          'has a host name that does not lead to public addresses alone',
        )
  })

  it('may lead to networks that the operator allows, there also over plain http', async () => {
    const allow = '127.0.0.0/8,fd00::/8'
    const names = { 'in.example': ['127.0.0.2', 'fd00::1'], 'mixed.example': ['127.0.0.2', PUBLIC] }
    for (const url of [
      'http://127.0.0.1:3000/hook',
      'http://127.0.0.1/hook',
      'https://127.0.0.1/',
      'https://[fd00::1]/',
      'http://[fd12::1]/',
    ])
      expect(await check(url, { allow }), url).toEqual({ ok: true, url })
    for (const url of ['http://in.example/', 'https://in.example/', 'https://mixed.example/'])
      expect(await check(url, { allow, names }), url).toEqual({ ok: true, url })
    for (const url of [
      ...['http://mixed.example/', 'http://nowhere.example/', `http://${PUBLIC}/`, 'http://10.0.0.1/'],
      ...['http://127.0.0.1:25/', 'http://127.0.0.1:6000/'],
      ...['https://10.0.0.1/', 'https://localhost/', 'https://a:b@127.0.0.1/', 'https://[64:ff9b::7f00:1]/'],
    ])
      expect(await why(url, { allow, names }), url).toBeTypeOf('string')
  })

  it('may not name an interface of the machine even in an allowed network', () => {
    const target = readTarget('https://a.example/')
    if (typeof target === 'string') throw new Error(target)
    const allow = readNetworks('fe80::/10') ?? NO_NETWORK
    expect(refusal(target, ['fe80::1'], allow)).toBeUndefined()
    expect(refusal(target, ['fe80::1%eth0'], allow)).toBeTypeOf('string')
  })
})
