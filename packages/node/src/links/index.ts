/**
 * @packageDocumentation
 *
 * Links uncompressed files to the compressed files with the same bytes, and removes pins and links together.
 */
export { addLink, listLinks, removeContent, removeLinks } from './links.ts'
export type { AddLinkOptions, RemoveContentOptions, Removed, RemoveLinksOptions } from './links.ts'
