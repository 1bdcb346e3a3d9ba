import { describe, expect, it } from 'vitest'
import { partsOf } from '../../../server/console/parts/upload.ts'
import { HOSTILE } from './shop.ts'

/** As a browser sends it. */
async function sent(form: FormData) {
  const answer = new Response(form)
  const [, boundary = ''] = /boundary=(.*)$/.exec(answer.headers.get('content-type') ?? '') ?? []
  return { boundary, body: Buffer.from(await answer.arrayBuffer()) }
}

describe('a form with a file', () => {
  it.each([
    ['nothing', ''],
    ['ends of lines', '\r\n\r\n--\r\n'],
    [
      'what looks like a boundary',
      '\r\n------formdata-undici-0\r\ncontent-disposition: form-data; name="partner"\r\n\r\nx',
    ],
    ['no text', '\0\u0001\ud7ff'],
    ['hostile text', HOSTILE],
  ])('is read as it was sent when the file has %s', async (_, text) => {
    const form = new FormData()
    form.set('partner', `sbc_1 ${HOSTILE}`)
    form.set('__proto__', 'mẫu "lotus"')
    form.set('file', new File([text], `sao kê ${HOSTILE}.csv`))
    const { body, boundary } = await sent(form)
    const { fields, file } = partsOf(body, boundary)
    expect(Object.entries(fields)).toEqual([
      ['partner', `sbc_1 ${HOSTILE}`],
      ['__proto__', 'mẫu "lotus"'],
    ])
    expect([file?.name, Buffer.from(file?.bytes ?? []).toString()]).toEqual([`sao kê ${HOSTILE}.csv`, text])
  })

  it('has nothing when it is broken off, or is another thing', async () => {
    const form = new FormData()
    form.set('file', new File(['text'], 'a.csv'))
    const { body, boundary } = await sent(form)
    for (let length = 0; length < body.indexOf('text') + 5; length += 1)
      expect(partsOf(body.subarray(0, length), boundary).file).toBeUndefined()
    expect(partsOf(body, 'other')).toEqual({ fields: {}, file: undefined })
  })
})
