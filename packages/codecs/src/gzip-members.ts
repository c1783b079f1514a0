/** Joins gzip members without decompressing them. Loads no codec. */
export { storeMember } from './format/gzip/gzip-member.ts'
export { isJoinable, joinedLength, joinMembers, joinWholeMembers } from './format/gzip/join-members.ts'
