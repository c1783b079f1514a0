import mime from 'mime/lite'
import { fileTypes } from '../respond/file/content-type.ts'

/** Files of the web that are not in the standard table of types. */
const MORE: Readonly<Record<string, string>> = {
  ico: 'image/x-icon',
  flac: 'audio/flac',
  mkv: 'video/x-matroska'
}

/** The types of names that pages use, and of text. Browsers tell images, sound and video by their bytes. */
export const WEB_TYPES = fileTypes({
  mime: {
    getType: path => mime.getType(path) ?? MORE[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? null
  }
})
