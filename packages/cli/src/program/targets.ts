/** What stands in the place of a CID, for the help of commands that take one, and several. */
export const TARGET = 'a CID, CID/path, or /ipns/NAME/path'
export const TARGETS = 'CIDs, CID/path, or /ipns/NAME/path'
