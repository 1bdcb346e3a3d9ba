import { renderToString } from 'ink'
import { expect, it } from 'vitest'
import { Sentence } from '../../../simulator/screen/device/sentence.tsx'
import { wrap } from '../../../simulator/screen/drawing/text.ts'
import { snapshotOf } from './model.ts'

const TEXT = 'Đã nhận một trăm chín mươi bảy nghìn đồng'

it.each([16, 17, 18, 19, 20, 21, 24, 45])(
  'a sentence in %i columns wraps like any text, without leading spaces',
  (columns) => {
    const sounding = {
      kind: 'sentence',
      n: 4,
      text: TEXT,
      said: 'Đã nhận một trăm chín',
      amount: '197000',
    } as const
    const speaker = snapshotOf({ screen: 'unregistered' }, { sounding })
    const frame = renderToString(<Sentence speaker={speaker} canAct room={{ columns, rows: 4 }} />, {
      columns,
    })
    const rows = frame.split('\n').filter((row) => row !== '')
    expect(rows).toEqual(wrap(`#4 ${TEXT}`, columns))
  },
)
