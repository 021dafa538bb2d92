import { router } from '../core/trpc.ts';
import { apiKey } from './api-key.ts';
import { audit } from './audit.ts';
import { company, settings } from './company.ts';
import { directory } from './directory.ts';
import { encryption } from './encryption.ts';
import { demo } from '../demo/router.ts';
import { evidence } from './evidence.ts';
import { member, invitation } from './member.ts';
import { department, framework, gap } from './reference-data.ts';
import { signIn } from './sign-in.ts';
import { sso } from './sso.ts';
import { state } from './state.ts';
import { version, mail, signingKey } from './installation.ts';

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
