/** What a {@link openPage} loads, with everything behind it, anew. */
export { codecs } from '@ipfsz/codecs/all'
