/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct world world;
static struct perfpred_models *models;
static char folder[64], path[128];

static void set_up(void) {
  world_create(&world);
  models = sample_models(&world);
  strcpy(folder, "/tmp/perfpred-save-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/models.json", folder);
}

/* Removes the folder; tells what was in it besides the names given. */
static void tear_down(void) {
  DIR *listing = opendir(folder);
  struct dirent *entry;
  char name[512];

  while (listing && (entry = readdir(listing))) {
    snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
    unlink(name);
  }
  closedir(listing);
  rmdir(folder);
  perfpred_models_unref(models);
  world_destroy(&world);
}
TestSuite(save, .init = set_up, .fini = tear_down);

static int entries(void) {
  DIR *listing = opendir(folder);
  struct dirent *entry;
  int count = 0;

  while ((entry = readdir(listing)))
    count += entry->d_name[0] != '.';
  closedir(listing);
  return count;
}

static void write_file(const char *name, const char *text) {
  FILE *file = fopen(name, "w");

  cr_assert_not_null(file);
  fputs(text, file);
  fclose(file);
}

static void expect_content(const char *name, const char *expected) {
  FILE *file = fopen(name, "r");
  char content[64] = "";

  cr_assert_not_null(file);
  cr_assert_not_null(fgets(content, sizeof content, file));
  fclose(file);
  cr_assert_eq(strncmp(content, expected, strlen(expected)), 0, "%s", content);
}

static void expect_loads(const char *name) {
  struct perfpred_models *again = NULL;
  struct perfpred_error error;

  cr_assert_eq(perfpred_models_load(&world.context, name, NULL, &again, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_models_count(again), 2);
  perfpred_models_unref(again);
}

Test(save, a_new_file_follows_the_umask) {
  struct perfpred_error error;
  struct stat about;

  umask(027);
  cr_assert_eq(perfpred_models_save(models, path, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(stat(path, &about), 0);
  cr_assert_eq(about.st_mode & 0777, 0640);
  expect_loads(path);
  cr_assert_eq(entries(), 1);
}

Test(save, an_old_file_keeps_its_permissions) {
  struct stat about;

  write_file(path, "old");
  cr_assert_eq(chmod(path, 0604), 0);
  cr_assert_eq(perfpred_models_save(models, path, NULL), PERFPRED_OK);
  cr_assert_eq(stat(path, &about), 0);
  cr_assert_eq(about.st_mode & 0777, 0604);
  expect_loads(path);
}

Test(save, readers_of_the_old_file_keep_it) {
  char content[8] = "";
  int descriptor;

  write_file(path, "old");
  descriptor = open(path, O_RDONLY);
  cr_assert_eq(perfpred_models_save(models, path, NULL), PERFPRED_OK);
  cr_assert_eq(read(descriptor, content, sizeof content), 3);
  cr_assert_str_eq(content, "old");
  close(descriptor);
}

Test(save, a_link_stays_a_link) {
  char link[128], target[128];
  struct stat about;

  snprintf(link, sizeof link, "%s/link.json", folder);
  snprintf(target, sizeof target, "%s/target.json", folder);
  write_file(target, "old");
  cr_assert_eq(symlink("target.json", link), 0);
  cr_assert_eq(perfpred_models_save(models, link, NULL), PERFPRED_OK);
  cr_assert_eq(lstat(link, &about), 0);
  cr_assert(S_ISLNK(about.st_mode));
  cr_assert_eq(lstat(target, &about), 0);
  cr_assert(S_ISREG(about.st_mode));
  expect_loads(target);
  /* and one that points at nothing yet */
  unlink(target);
  cr_assert_eq(perfpred_models_save(models, link, NULL), PERFPRED_OK);
  expect_loads(target);
  cr_assert_eq(entries(), 2);
}

Test(save, links_in_a_circle_are_told) {
  struct perfpred_error error;

  cr_assert_eq(symlink("models.json", path), 0);
  cr_assert_eq(perfpred_models_save(models, path, &error), PERFPRED_IO);
  cr_assert_not_null(strstr(error.text, "models.json"));
}

Test(save, a_full_disk_leaves_the_old_file) {
  /* The limit on the size of files stands for the end of the disk: write fails with EFBIG half-way. */
  struct rlimit limit;
  struct perfpred_error error;

  write_file(path, "old");
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 1000;
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  cr_assert_eq(perfpred_models_save(models, path, &error), PERFPRED_IO);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
  cr_assert_eq(strncmp(error.text, path, strlen(path)), 0, "%s", error.text);
  expect_content(path, "old");
  cr_assert_eq(entries(), 1);
}

Test(save, a_full_device_is_told) {
  struct perfpred_error error;
  struct stat about;

  cr_assert_eq(perfpred_models_save(models, "/dev/full", &error), PERFPRED_IO);
  cr_assert_eq(strncmp(error.text, "/dev/full: ", 11), 0, "%s", error.text);
  cr_assert_eq(stat("/dev/full", &about), 0);
  cr_assert(S_ISCHR(about.st_mode));
  cr_assert_eq(perfpred_models_save(models, "/dev/null", &error), PERFPRED_OK);
}

Test(save, folders_are_no_files) {
  struct perfpred_error error;
  char name[160];

  cr_assert_eq(perfpred_models_save(models, folder, &error), PERFPRED_IO);
  cr_assert_not_null(strstr(error.text, "folder"));
  snprintf(name, sizeof name, "%s/none/models.json", folder);
  cr_assert_eq(perfpred_models_save(models, name, &error), PERFPRED_IO);
  cr_assert_eq(strncmp(error.text, name, strlen(name)), 0, "%s", error.text);
  cr_assert_eq(entries(), 0);
}

Test(save, a_closed_folder_is_told) {
  struct perfpred_error error;

  write_file(path, "old");
  cr_assert_eq(chmod(folder, 0555), 0);
  if (geteuid() == 0 && setegid(65534) == 0)
    cr_assert_eq(seteuid(65534), 0); /* root may write anywhere */
  cr_assert_eq(perfpred_models_save(models, path, &error), PERFPRED_IO);
  if (getuid() == 0)
    cr_assert_eq(seteuid(0), 0);
  cr_assert_eq(chmod(folder, 0755), 0);
  expect_content(path, "old");
  cr_assert_eq(entries(), 1);
}

Test(save, arguments) {
  struct perfpred_error error;
  char *text = (char *)"untouched";

  cr_assert_eq(perfpred_models_save(NULL, path, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_save(models, NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_save(models, "", &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_print(NULL, &text, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_models_print(models, NULL, &error), PERFPRED_INVALID);
  cr_assert_str_eq(text, "untouched");
}

static void expect_load(const char *name, enum perfpred_status status, const char *text) {
  struct perfpred_models *none = NULL;
  struct perfpred_error error;
  enum perfpred_status found = perfpred_models_load(&world.context, name, NULL, &none, &error);

  cr_assert_eq(found, status, "%s: %s", name, error.text);
  cr_assert_null(none);
  cr_assert_eq(strncmp(error.text, name, strlen(name)), 0, "%s", error.text);
  cr_assert_not_null(strstr(error.text, text), "expected %s in: %s", text, error.text);
}

Test(save, files_that_cannot_be_read) {
  char name[160];
  int descriptor;

  snprintf(name, sizeof name, "%s/none.json", folder);
  expect_load(name, PERFPRED_MISSING, "no such file");
  write_file(path, "");
  expect_load(path, PERFPRED_CORRUPT, "is empty");
  snprintf(name, sizeof name, "%s/inside", path);
  expect_load(name, PERFPRED_MISSING, "no such file");
  expect_load(folder, PERFPRED_IO, "is a folder");
  cr_assert_eq(chmod(path, 0), 0);
  if (geteuid() == 0)
    cr_assert_eq(seteuid(65534), 0);
  cr_assert_eq(chdir("/"), 0);
  expect_load(path, PERFPRED_IO, path); /* the folder is closed to others, or the file to its owner */
  if (getuid() == 0)
    cr_assert_eq(seteuid(0), 0);
  snprintf(name, sizeof name, "%s/huge.json", folder);
  descriptor = open(name, O_WRONLY | O_CREAT, 0600);
  cr_assert_eq(ftruncate(descriptor, (off_t)300 << 20), 0); /* a hole: no room is taken */
  close(descriptor);
  expect_load(name, PERFPRED_CORRUPT, "larger than 256 MiB");
}
