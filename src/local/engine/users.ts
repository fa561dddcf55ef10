import { existsSync } from 'node:fs';

/** An account inside a sandbox. */
export interface User {
  name: string;
  uid: number;
  gid: number;
  home: string;
  shell: string;
}

/** Accounts every sandbox has besides root: the defaults of the services it stands in for. */
export const SANDBOX_USERS = [
  { name: 'user', uid: 1000, gid: 1000, home: '/home/user' },
  { name: 'daytona', uid: 1001, gid: 1001, home: '/home/daytona' },
] as const;

/** The login shell of accounts. */
export function shellHere(): string {
  return existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
}

/** The accounts of sandboxes in which every file belongs to the user the server runs as. */
export function usersOfServer(shell: string): User[] {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  return [...SANDBOX_USERS, { name: 'root', home: '/root' }].map(({ name, home }) => {
    return { name, home, uid, gid, shell };
  });
}

/** Reads the text of a passwd file; lines that are not accounts are left out. */
export function parseUsers(passwd: string): User[] {
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid, , home, shell] = line.split(':');
    if (!name || uid === undefined || gid === undefined || home === undefined) return [];
    return [{ name, uid: Number(uid), gid: Number(gid), home, shell: shell || '/bin/sh' }];
  });
}

/** Group names by number, from the text of a group file. */
export function parseGroups(group: string): Map<number, string> {
  return new Map(
    group.split('\n').flatMap((line) => {
      const [name, , gid] = line.split(':');
      return name && gid !== undefined ? [[Number(gid), name] as const] : [];
    }),
  );
}
