/** What stands in the place of a CID, for the help of commands that take one, and several. */
export const TARGET = 'a CID, CID/path, the name of a pin, or /ipns/NAME/path'
export const TARGETS = 'CIDs, CID/path, names of pins, or /ipns/NAME/path'
