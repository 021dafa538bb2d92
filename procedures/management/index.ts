import { router } from '../core/trpc.ts';
import { apiKey } from './api-key.ts';
import { audit } from './audit.ts';
import { company } from './company.ts';
import { directory } from './installation/directory.ts';
import { encryption } from './installation/encryption.ts';
import { demo } from '../demo/router.ts';
import { evidence } from './installation/evidence.ts';
import { gap } from './gap.ts';
import { invitation } from './invitation.ts';
import { mail } from './installation/mail.ts';
import { member } from './member.ts';
import { department, framework } from './reference-data.ts';
import { settings } from './settings.ts';
import { signIn } from './sign-in.ts';
import { signingKey } from './installation/signing-key.ts';
import { sso } from './sso.ts';
import { state } from './state.ts';
import { version } from './installation/version.ts';

/** Management procedures, served over tRPC and the command line, never under `/external`. See docs/contract.md, section 7. */
export const management = router({
  company,
  settings,
  framework,
  department,
  gap,
  apiKey,
  audit,
  demo,
  directory,
  evidence,
  member,
  invitation,
  signIn,
  sso,
  state,
  encryption,
  signingKey,
  mail,
  version,
});
