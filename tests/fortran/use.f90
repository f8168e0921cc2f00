! SPDX-License-Identifier: BSD-3-Clause
! The Fortran binding against what C says of the same models: use.f90's program takes a path that it may write to.
program use_perfpred
  use, intrinsic :: iso_c_binding
  use perfpred
  implicit none

  interface
    function reference_save(path) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: reference_save
    end function
    function reference_median(n, b) bind(c)
      import :: c_double, c_int64_t
      integer(c_int64_t), value :: n, b
      real(c_double) :: reference_median
    end function
    function reference_best(n) bind(c)
      import :: c_int64_t
      integer(c_int64_t), value :: n
      integer(c_int64_t) :: reference_best
    end function
    function reference_size(which) bind(c)
      import :: c_int, c_size_t
      integer(c_int), value :: which
      integer(c_size_t) :: reference_size
    end function
  end interface

  integer :: cases = 0
  logical :: well = .true.
  integer(c_int) :: status
  character(:), allocatable :: message
  character(500) :: path
  type(c_ptr) :: context = c_null_ptr, models = c_null_ptr, program = c_null_ptr, plan = c_null_ptr

  call get_command_argument(1, path)
  call check(reference_save(trim(path)//c_null_char) == perfpred_ok, "models of the virtual clock")
  call layout()
  call open_all()
  if (well) then
    call predict()
    call tune()
    call evaluate()
    call ask()
    call complain()
  end if
  call perfpred_plan_destroy(plan)
  call perfpred_program_unref(program)
  call perfpred_models_unref(models)
  call perfpred_context_destroy(context)
  print "('1..', i0)", cases
  if (.not. well) error stop 1

contains

  subroutine check(passed, what)
    logical, intent(in) :: passed
    character(*), intent(in) :: what
    cases = cases + 1
    if (passed) print "(a, i0, a)", "ok ", cases, " - "//what
    if (.not. passed) print "(a, i0, a)", "not ok ", cases, " - "//what
    well = well .and. passed
  end subroutine

  subroutine layout()
    type(perfpred_statistics) :: statistics
    type(perfpred_prediction) :: prediction
    type(perfpred_range) :: range
    type(perfpred_tuning) :: tuning
    type(perfpred_tuner_answer) :: answer
    call check(c_sizeof(statistics) == reference_size(1_c_int) .and. c_sizeof(prediction) == reference_size(2_c_int) &
               .and. c_sizeof(range) == reference_size(3_c_int) .and. c_sizeof(tuning) == reference_size(4_c_int) &
               .and. c_sizeof(answer) == reference_size(5_c_int), "types have the sizes of their structs")
    call check(perfpred_version() /= "" .and. perfpred_status_text(perfpred_invalid) == "invalid argument", &
               "version and text of a status")
  end subroutine

  subroutine open_all()
    call perfpred_context_create(context, status, message)
    call check(status == perfpred_ok .and. message == "", "context")
    call perfpred_models_load(context, path, models, status, message, force=.true.)
    call check(status == perfpred_ok, "models: "//message)
    call perfpred_program_find(context, "chol-l-3", program, status, message)
    call check(status == perfpred_ok, "program: "//message)
    call perfpred_plan_create(program, models, plan, status, message)
    call check(status == perfpred_ok, "plan: "//message)
  end subroutine

  ! 64 in blocks of 16: four calls of DPOTRF2 and of both others, which have nothing to do in the last step
  subroutine predict()
    type(perfpred_prediction) :: prediction
    call perfpred_plan_predict(plan, [64_c_int64_t, 16_c_int64_t], prediction, status, message)
    call check(status == perfpred_ok .and. prediction%calls == 12 .and. prediction%warm_calls == 10, "prediction")
    call check(abs(prediction%time_s%med - reference_median(64_c_int64_t, 16_c_int64_t)) <= &
               1e-12_c_double*prediction%time_s%med .and. prediction%time_s%med > 0, "predicted median")
    call check(abs(prediction%flops - 64*65*129/6.0_c_double) < 1e-6_c_double, "flops")
  end subroutine

  subroutine tune()
    type(perfpred_tuning) :: tuning
    tuning%default_value = 16
    call perfpred_plan_tune(plan, perfpred_plan_parameter(plan, "b"), perfpred_range(8, 32, 8), &
                            [90_c_int64_t, 0_c_int64_t], tuning, status, message)
    call check(status == perfpred_ok .and. tuning%best == reference_best(90_c_int64_t) .and. &
               tuning%candidates == 4 .and. tuning%default_value == 16 .and. tuning%prediction%time_s%med > 0, "tuning")
    call check(perfpred_plan_parameter(plan, "n") == 1 .and. perfpred_plan_parameter(plan, "x") == 0, "parameters")
  end subroutine

  subroutine evaluate()
    integer(c_int64_t) :: configurations(2, 3)
    real(c_double) :: medians(3)
    configurations = reshape([64_c_int64_t, 16_c_int64_t, 48_c_int64_t, 8_c_int64_t, 5000_c_int64_t, 8_c_int64_t], [2, 3])
    call perfpred_plan_evaluate(plan, configurations, medians, status, message)
    call check(status == perfpred_ok .and. &
               abs(medians(1) - reference_median(64_c_int64_t, 16_c_int64_t)) <= 1e-12_c_double*medians(1) .and. &
               abs(medians(2) - reference_median(48_c_int64_t, 8_c_int64_t)) <= 1e-12_c_double*medians(2) .and. &
               .not. (medians(3) >= 0), "a batch, its last one beyond the models")
    call perfpred_plan_evaluate(plan, configurations, medians(:2), status, message)
    call check(status == perfpred_invalid .and. index(message, "medians_s") == 1, "a batch without room")
  end subroutine

  subroutine ask()
    type(c_ptr) :: tuner
    type(perfpred_tuner_answer) :: answer
    integer :: routine
    tuner = c_null_ptr
    call perfpred_tuner_create(context, models, [character(8) :: "chol-l-3", "dgetrf"], tuner, status, message, &
                               perfpred_range(8, 32, 8))
    call check(status == perfpred_ok, "tuner: "//message)
    routine = perfpred_tuner_routine(tuner, "chol-l-3")
    call perfpred_tuner_ask(tuner, routine, [90_c_int64_t], 0, answer, status)
    call check(routine == 1 .and. status == perfpred_ok .and. answer%value == reference_best(90_c_int64_t) .and. &
               answer%threads == 1 .and. answer%variant == 1, "an answer")
    call check(perfpred_tuner_variant(tuner, routine, answer%variant) == "chol-l-3" .and. &
               perfpred_tuner_variant(tuner, routine, 2_c_int) == "", "the name of a variant")
    call check(perfpred_tuner_block_size(tuner, routine, [90_c_int64_t], 1, 77_c_int64_t) == answer%value, &
               "a block size")
    call check(perfpred_tuner_block_size(tuner, 2, [90_c_int64_t], 1, 77_c_int64_t) == 77 .and. &
               perfpred_tuner_block_size(tuner, 3, [90_c_int64_t], 1, 77_c_int64_t) == 77 .and. &
               perfpred_tuner_block_size(tuner, 1, [9000_c_int64_t], 1, 77_c_int64_t) == 77 .and. &
               perfpred_tuner_block_size(c_null_ptr, 1, [90_c_int64_t], 1, 77_c_int64_t) == 77, &
               "the default where there is no model")
    call check(perfpred_tuner_routine(tuner, "dpotrf") == 0, "a routine that is not there")
    call perfpred_tuner_destroy(tuner)
  end subroutine

  subroutine complain()
    type(c_ptr) :: nothing
    type(perfpred_prediction) :: prediction
    nothing = c_null_ptr
    call perfpred_program_find(context, "chol-l3", nothing, status, message)
    call check(status == perfpred_not_found .and. .not. c_associated(nothing) .and. index(message, "chol-l-3") > 0, &
               "an unknown name: "//message)
    call perfpred_models_load_memory(context, "{", "text", nothing, status, message)
    call check(status == perfpred_corrupt .and. index(message, "text") == 1, "a broken text: "//message)
    call perfpred_models_load(context, trim(path)//"-not", nothing, status)
    call check(status == perfpred_missing .and. .not. c_associated(nothing), "no file, and nobody asks for the message")
    call perfpred_plan_predict(plan, [64_c_int64_t], prediction, status, message)
    call check(status == perfpred_invalid .and. message == "count is 1; chol-l-3 has 2 parameters", "a wrong count")
  end subroutine
end program
