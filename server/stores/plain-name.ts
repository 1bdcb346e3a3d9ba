/** A name without regard to case and Vietnamese marks: `Phở Đào` and `pho dao` are the same. */
export function plainName(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('đ', 'd')
}
