/** Hidden account of a form with only passwords, for password managers. */
export const UsernameField = ({ email = '' }: { email?: string }) => (
  <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
);
