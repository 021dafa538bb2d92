/** Mails of this process, by result: attempts that succeeded or are repeated, and mails that are given up. */
export const mailResults = { sent: 0, deferred: 0, failed: 0 };
