import type { Both, Lang } from '../../parts/words.ts'
import { inLang, wordsOf } from '../../parts/words.ts'

export const words = wordsOf({
  title: ['Line', 'Trực tiếp'],
  // What the page is, beside its title.
  live: ['live', 'đang cập nhật'],
  asOf: ['As of', 'Tính đến'],
  again: ['Load it again', 'Tải lại trang'],
  late: [
    'The hub can not read its database: this is as of',
    'Hub không đọc được cơ sở dữ liệu: số liệu tính đến',
  ],
  over: ['Your session is over: this is as of', 'Phiên làm việc đã kết thúc: số liệu tính đến'],
  newest: ['The newest payments', 'Giao dịch mới nhất'],
  none: [
    'No payment yet. The first one will appear here by itself.',
    'Chưa có giao dịch. Giao dịch đầu tiên sẽ tự hiện ở đây.',
  ],
  quiet: ['All quiet. The last payment came', 'Đang yên ắng. Giao dịch gần nhất:'],
  noSpeaker: ['no speaker', 'không có loa'],
  results: ['The last payments', 'Các giao dịch gần nhất'],
  played: ['played', 'đã đọc'],
  delivered: ['delivered, sound not proven', 'đã tới loa, không rõ đã phát'],
  missed: ['missed', 'bị lỡ'],
  failed: ['failed', 'lỗi'],
  open: ['open', 'đang chờ'],
  suppressed: ['suppressed', 'không đọc: loa bị khoá'],
  withoutSpeaker: ['without a speaker', 'không có loa'],
  p50: ['half are heard within (p50)', 'một nửa được đọc trong (p50)'],
  p95: ['95 % are heard within (p95)', '95 % được đọc trong (p95)'],
  wrong: ['Wrong now', 'Cần xử lý ngay'],
  counted: ['counted', 'đếm'],
  counting: ['Counting …', 'Đang đếm …'],
  fine: ['Nothing is wrong.', 'Không có gì bất thường.'],
  retention: [
    'Retention waits: the clock is in doubt',
    'Việc xoá dữ liệu cũ đang chờ: đồng hồ không chắc đúng',
  ],
  full: [
    'Too many pages are open live. This one is as of',
    'Có quá nhiều trang đang mở trực tiếp. Trang này tính đến',
  ],
})

/** A count with what was counted: `41 speakers offline`. */
const COUNTS = {
  offline: [(n) => `${n} ${speakers(n)} offline`, (n) => `${n} loa mất kết nối`],
  silent: [(n) => `${n} ${speakers(n)} silent for a day`, (n) => `${n} loa im lặng hơn một ngày`],
  lowBattery: [(n) => `${n} ${speakers(n)} with a low battery`, (n) => `${n} loa sắp hết pin`],
  failing: [(n) => `${n} ${webhooks(n)} failing`, (n) => `${n} webhook đang lỗi`],
  disabled: [(n) => `${n} ${webhooks(n)} disabled by the hub`, (n) => `${n} webhook bị hub tắt`],
  last: [(n) => (n === '1' ? 'The last payment' : `Last ${n}`), (n) => `${n} giao dịch gần nhất`],
} satisfies Record<string, Both<(n: string) => string>>

const speakers = (n: string) => (n === '1' ? 'speaker' : 'speakers')
const webhooks = (n: string) => (n === '1' ? 'webhook' : 'webhooks')

export const countOf = (what: keyof typeof COUNTS, n: number, lang: Lang): string =>
  inLang<(n: string) => string>(COUNTS[what], lang)(grouped(n, lang))

/** `1,000`, in Vietnamese `1.000`. */
export function grouped(n: number, lang: Lang): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, lang === 'vi' ? '.' : ',')
}

export function sampledOf(shown: number, came: number, lang: Lang): string {
  const [some, all] = [grouped(shown, lang), grouped(came, lang)]
  return lang === 'vi'
    ? `${some} giao dịch mới nhất trong ${all} giao dịch của giây vừa qua`
    : `newest ${some} of ${all} that came within the last second`
}
