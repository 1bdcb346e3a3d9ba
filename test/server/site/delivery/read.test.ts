import { describe, expect, it } from 'vitest'
import { readDelivery } from '../../../../server/site/browser/delivery/read.ts'

const id = 'evt_01KAQ6Z0Q3T7E5M9R1V8X2Y4ZB'
const timestamp = '1763870400'
const signature =
  'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= v1,rL3ykVmO1jU8cS2hE6tQ0xWb5nPd7gKfAi4uZyT9oMc='
const body = '{"id":"evt_01KAQ6Z0Q3T7E5M9R1V8X2Y4ZB","data":{"bill":"Trà \\"sữa\\" {1}","body":"it\'s"}}'
const whole = { id, timestamp, signature, body }
const json = JSON.stringify(body)
const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }

describe('a pasted delivery is found in', () => {
  it.each<[what: string, text: string]>([
    [
      'raw HTTP',
      `POST /webhook HTTP/1.1\r\nHost: pay.example\r\nWebhook-Id: ${id}\r\nWebhook-Timestamp: ${timestamp}\r\nWebhook-Signature: ${signature}\r\nContent-Type: application/json\r\n\r\n${body}`,
    ],
    [
      'raw HTTP with a line break behind the length of the body',
      `webhook-id:${id}\nwebhook-timestamp:${timestamp}\nwebhook-signature:${signature}\ncontent-length: ${Buffer.byteLength(body)}\n\n${body}\n\n`,
    ],
    [
      'the output of curl -v',
      `*   Trying 127.0.0.1:3000...\n* Connected to 127.0.0.1\n> POST /webhook HTTP/1.1\n> Host: 127.0.0.1:3000\n> webhook-id: ${id}\n> webhook-timestamp: ${timestamp}\n> webhook-signature: ${signature}\n> \n* upload completely sent off\n< HTTP/1.1 401 Unauthorized\n< Date: now\n{ [5 bytes data]\n${body}`,
    ],
    [
      'a curl command',
      `curl -X POST https://pay.example/webhook -H 'webhook-id: ${id}' \\\n  -H "webhook-timestamp: ${timestamp}" \\\n  --header 'webhook-signature: ${signature}' --data-raw '${body.replaceAll("'", "'\\''")}'`,
    ],
    [
      'a curl command in double quotes',
      `curl https://pay.example -H "Webhook-Id: ${id}" -H "Webhook-Timestamp: ${timestamp}" -H "Webhook-Signature: ${signature}" -d "${body.replace(/["\\]/g, '\\$&')}"`,
    ],
    ['JSON of a request', JSON.stringify({ headers, body }, null, 2)],
    [
      'JSON of a function, with lists of values',
      JSON.stringify({
        multiValueHeaders: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, [value]]),
        ),
        body,
      }),
    ],
    [
      'JSON with pairs',
      JSON.stringify({
        request: {
          headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
          rawBody: body,
        },
      }),
    ],
    ['JSON with a parsed body', JSON.stringify({ level: 30, req: { headers }, body: JSON.parse(body) })],
    [
      'a line of a log with JSON in it',
      `2026-11-23T06:00:00Z INFO received ${JSON.stringify({ headers, body })} in 3 ms`,
    ],
    [
      'console.log of Node.js',
      `{\n  host: '127.0.0.1',\n  'webhook-id': '${id}',\n  'webhook-timestamp': '${timestamp}',\n  'webhook-signature': '${signature}'\n}\n${body}`,
    ],
    [
      'a dict of Python',
      `{'Webhook-Id': '${id}', 'Webhook-Timestamp': '${timestamp}', 'Webhook-Signature': '${signature}'} ${body}`,
    ],
    [
      'print_r of PHP',
      `Array\n(\n    [HTTP_WEBHOOK_SIGNATURE] => ${signature}\n    [HTTP_WEBHOOK_TIMESTAMP] => ${timestamp}\n    [HTTP_WEBHOOK_ID] => ${id}\n)\n${body}\n`,
    ],
    [
      'var_dump of PHP',
      `array(3) {\n  ["HTTP_WEBHOOK_ID"]=>\n  string(30) "${id}"\n  ["HTTP_WEBHOOK_TIMESTAMP"]=>\n  string(10) "${timestamp}"\n  ["HTTP_WEBHOOK_SIGNATURE"]=>\n  string(95) "${signature}"\n}\n\n${body}`,
    ],
    [
      'a map of Go',
      `map[Content-Type:[application/json] Webhook-Id:[${id}] Webhook-Signature:[${signature}] Webhook-Timestamp:[${timestamp}]] ${body}`,
    ],
    [
      'a map of Java',
      `{webhook-id=[${id}], webhook-signature=[${signature}], webhook-timestamp=[${timestamp}]}\n${body}`,
    ],
    [
      'logfmt',
      `level=info webhook_id=${id} webhook_timestamp=${timestamp} webhook_signature="${signature}" body=${json}`,
    ],
    [
      'logfmt without quotes',
      `level=info webhook-id=${id} webhook-signature=${signature} webhook-timestamp=${timestamp} body=${body} status=401`,
    ],
    [
      'lines without a blank one',
      `webhook-id: ${id}\nwebhook-timestamp: ${timestamp}\nwebhook-signature: ${signature}\n${body}`,
    ],
    [
      'the body first',
      `${body}\nwebhook-id: ${id}\nwebhook-timestamp: ${timestamp}\nwebhook-signature: ${signature}`,
    ],
    [
      'a body in bytes of Python',
      `webhook-id: ${id}\nwebhook-timestamp: ${timestamp}\nwebhook-signature: ${signature}\nbody: b'${body.replace(/[\\']/g, '\\$&')}'`,
    ],
  ])('%s', (_, text) => {
    expect(readDelivery(text)).toEqual(whole)
    expect(readDelivery(text.replaceAll('\r\n', '\n'))).toEqual(whole)
  })
})

describe('a pasted delivery that is not whole', () => {
  it.each<[text: string, found: object]>([
    ['', {}],
    ['nothing of interest', {}],
    [body, { body }],
    ['webhook-id: \nwebhook-timestamp: 1\n\n{}', { id: '', timestamp: '1', body: '{}' }],
    [
      'webhook-signature: v1,abc=\nwebhook-timestamp: 2026-11-23T06:00:00Z',
      { signature: 'v1,abc=', timestamp: '2026-11-23T06:00:00Z' },
    ],
    ['webhook-id: evt_1\n\n{\n  "a": 1\n}\n', { id: 'evt_1', body: '{\n  "a": 1\n}\n' }],
    ['webhook-id: evt_1\nbody: {"cut": "o', { id: 'evt_1', body: '{"cut": "o' }],
  ])('gives what is there: %j', (text, found) => {
    expect(readDelivery(text)).toEqual(found)
  })

  it('takes the first of two headers of a name', () => {
    expect(readDelivery('webhook-id: evt_1\nwebhook-id: evt_2')).toEqual({ id: 'evt_1' })
  })
})
