import { fileTypes } from '../respond/file/content-type.ts'

/**
 * The types of names that pages use. A test compares them with the package `mime`, whose table would take 3 kB of
 * the 90 of a service worker.
 */
const TYPES: Readonly<Record<string, string>> = Object.fromEntries([
  'text/html html htm', 'text/css css', 'text/javascript js mjs', 'application/json json map',
  'application/manifest+json webmanifest', 'application/wasm wasm', 'application/xml xml',
  'application/xhtml+xml xhtml',
  'application/rss+xml rss', 'application/atom+xml atom', 'text/plain txt text log', 'text/markdown md markdown',
  'text/csv csv', 'text/vtt vtt', 'text/calendar ics', 'application/pdf pdf', 'application/epub+zip epub',
  'application/zip zip', 'application/gzip gz', 'image/svg+xml svg', 'image/png png', 'image/apng apng',
  'image/jpeg jpg jpeg', 'image/gif gif', 'image/webp webp', 'image/avif avif', 'image/bmp bmp', 'image/tiff tif tiff',
  'image/x-icon ico', 'font/woff woff', 'font/woff2 woff2', 'font/ttf ttf', 'font/otf otf', 'audio/mpeg mp3',
  'audio/ogg ogg oga opus', 'audio/wav wav', 'audio/flac flac', 'audio/mp4 m4a', 'audio/aac aac', 'video/mp4 mp4',
  'video/webm webm', 'video/ogg ogv', 'video/quicktime mov', 'video/x-matroska mkv'
].flatMap(line => {
  const [type, ...endings] = line.split(' ')

  return endings.map(ending => [ending, type])
}))

/** The types of names that pages use, and of text. Browsers tell images, sound and video by their bytes. */
export const WEB_TYPES = fileTypes({
  mime: {
    getType (path) {
      const ending = /\.([^./]+)$/.exec(path)?.[1].toLowerCase() ?? ''

      return Object.hasOwn(TYPES, ending) ? TYPES[ending] : null
    }
  }
})

/** The endings of names that have a type. */
export const WEB_ENDINGS: readonly string[] = Object.keys(TYPES)
