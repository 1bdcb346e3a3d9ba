import type { ReasonCode } from '../announcements/announcement.ts'
import { when } from './for-people.ts'
import type { Announcements, SilenceFinding } from './silence.ts'

const REASONS: Record<ReasonCode, string> = {
  expired: 'thông báo đến quá muộn',
  bad_mac: 'loa không xác thực được thông báo: loa dùng khoá khác hoặc lẫn lộn các phiên',
  unsupported: 'phần mềm của loa không biết lệnh này',
  too_large: 'thông báo lớn hơn bộ đệm nhận của loa',
  busy: 'loa đang bận',
  no_clip: 'loa thiếu âm thanh cho một từ trong câu',
  audio_failed: 'loa hoặc mạch khuếch đại bị lỗi',
  display_failed: 'màn hình bị lỗi',
  muted: 'loa đang tắt tiếng',
  over_limit: 'số tiền lớn hơn mức loa đọc được',
  unconfirmed: 'loa không xác nhận đã nhận',
  not_ready: 'loa chưa sẵn sàng',
}

/** The sentence of a finding: see silence-english.ts. */
export function silenceInVietnamese(found: SilenceFinding): string {
  switch (found.cause) {
    case 'revoked':
      return `Loa đã bị thu hồi lúc ${at(found.at)}: hub từ chối loa này vĩnh viễn.`
    case 'unregistered':
      return 'Chưa có đối tác nào đăng ký loa này: loa không thông báo cho cửa hàng nào.'
    case 'foreign':
      return `Loa thuộc về đối tác khác, ${found.clientId}: chỉ đối tác đó mới gỡ được loa.`
    case 'partner_disabled':
      return `Đối tác ${found.clientId} của loa đang bị tắt: các giao dịch của đối tác bị từ chối.`
    case 'locked':
      return 'Loa đang bị khoá: loa im lặng cho đến khi được mở khoá.'
    case 'never_born':
      return `Khoá của loa được dùng đến ${at(found.leftAt)}, nhưng loa chưa bao giờ tự giới thiệu sau khi đăng ký nhận tin (sb/1 4.2).`
    case 'never_connected':
      return 'Loa chưa bao giờ kết nối, khoá của loa chưa được dùng: hãy kiểm tra nguồn điện, mạng, địa chỉ hub và khoá của loa.'
    case 'never_subscribed':
      return `Loa đã đăng nhập đến ${at(found.leftAt)} nhưng chưa đăng ký nhận tin ở chủ đề nào: hãy đặt chủ đề (topic) theo hồ sơ của loa.`
    case 'box_never_connected':
      return `Loa chưa bao giờ kết nối: HUB_BOX_PORT đã được đặt chưa, trong loa đã có địa chỉ hub với cổng đó, tên ${found.wireId} và mật khẩu chưa? Hãy kiểm tra cả nguồn điện và mạng.`
    case 'no_box_port':
      return 'Hub đang chạy không mở cổng cho loa của hãng khác: hãy đặt HUB_BOX_PORT rồi khởi động lại hub.'
    case 'no_hub':
      return `Không có hub nào đang chạy: không loa nào kết nối được. Lần cuối thấy loa: ${at(found.lastSeenAt)}.`
    case 'offline':
      return offline(found)
    case 'volume_zero':
      return 'Âm lượng của loa đang là 0.'
    case 'failed':
      return `Loa không phát được ${count(found)}, lần cuối lúc ${at(found.at)}: ${reasonOf(found.reason)}.`
    case 'unanswered':
      return `Loa ${found.isConnected ? 'đang kết nối nhưng ' : ''}không trả lời ${count(found)}.`
    case 'unconfirmed':
      return `Loa không xác nhận đã nhận ${count(found)}: không rõ loa đã phát hay chưa. Hãy kiểm tra chủ đề (topic) mà loa lắng nghe và mạng của loa.`
    case 'unplayed':
      return `Loa đã nhận ${count(found)} nhưng không báo là đã phát.`
    case 'untaken':
      return `Chưa gửi được ${count(found)} vì loa mất kết nối; nay đã quá hạn.`
    case 'no_payment':
      return `Các cửa hàng của loa không có giao dịch nào từ ${at(found.since)} (không xem xa hơn).`
    case 'played_last':
      return `Loa phát thông báo cuối cùng lúc ${at(found.at)}: từ đó các cửa hàng của loa không có giao dịch nào.`
    case 'delivered_last':
      return `Thông báo cuối đã tới loa lúc ${at(found.at)}, không rõ loa đã phát hay chưa: từ đó các cửa hàng không có giao dịch nào. Hãy hỏi cửa hàng và kiểm tra âm lượng.`
    case 'suppressed_last':
      return `Loa đang bị khoá khi có giao dịch cuối cùng, lúc ${at(found.at)}: từ đó không có giao dịch nào.`
    case 'under_way':
      return `Một thông báo đang trên đường đến loa từ ${at(found.since)}.`
  }
}

function offline({ leftAt, lastSeenAt, battery }: Extract<SilenceFinding, { cause: 'offline' }>): string {
  const why = battery ? ` (pin còn ${battery.percent} % lúc ${at(battery.at)})` : ''
  return leftAt === undefined
    ? `Loa đang mất kết nối; lần cuối thấy loa: ${at(lastSeenAt)}${why}.`
    : `Loa mất kết nối từ ${at(leftAt)}${why}.`
}

function reasonOf(reason: string | undefined): string {
  const sentence = Object.entries(REASONS).find(([code]) => code === reason)?.[1]
  return sentence === undefined ? (reason ?? 'loa không nêu lý do') : `${sentence} (${reason})`
}

function count({ count, oldestAt, newestAt }: Announcements): string {
  return count === 1 ? `1 thông báo lúc ${at(newestAt)}` : `${count} thông báo từ ${at(oldestAt)}`
}

function at(ms: number | undefined): string {
  return ms === undefined ? 'một thời điểm không rõ' : when(ms)
}
