/** The module that every {@link openPage} loads anew, with its imports. */
export { codecs } from '@ipfsz/codecs/all'
