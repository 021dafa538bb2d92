/** Hidden account of a form with only passwords, for password managers. */
export const UsernameField = ({ email = '' }: { email?: string }) => (
  <input type="text" name="username" autoComplete="username" defaultValue={email} hidden />
);
