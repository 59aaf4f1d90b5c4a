/** A repository with a backlog of a-1 and a-2 for the scripted agent, all committed. */
import { commitFiles, makeRepo, type TestRepo } from '../git/repo.js';

export async function plannedRepo(): Promise<TestRepo> {
  const repo = await makeRepo({ 'a.txt': 'a\n' });
  const files = {
    '.ralph-script.yaml': 'default: []\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n',
  };
  await commitFiles(repo.root, files, 'plan');
  return repo;
}
