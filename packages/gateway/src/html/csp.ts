/** The digest of `STYLE`, as a policy names it. */
export const STYLE_HASH = 'sha256-2Yqy97iXCNtk3h/IGJf6JpNyT/9cenW1pt5efiEIw9Q='

/**
 * The Content-Security-Policy of every page that the gateway makes: its one style, and its icon. The
 * names on a page are other people's.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src '${STYLE_HASH}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

/** Changes with the pages. It is in the ETag of listings, so that browsers drop those of earlier versions. */
export const PAGE_VERSION = '0820295b'
