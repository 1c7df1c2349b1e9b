; sources 5adbacbd8b057944486b4705c408f309950a462f71dd31795ee001d5be262b7d

%struct.Site = type { i32, i32, i32, i32, i32, i32, i32, i32 }
%struct.Region = type { i64, ptr, ptr, i32, i32, i32, i32, ptr, ptr, ptr }
%struct.Finding = type { i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i64, i64, [3 x i32], [3 x i32] }
%struct.LdsShadow = type { i32, i32, i32, i32, i16, i8, i8, i8 }
%struct.Shadow = type { i32, i32, i32, i32, i32, i32, i32, i32, i32 }
%struct.Map = type { i32, i32, ptr, ptr }
%struct.Snapshot = type { i32, [16 x i32], [16 x i32] }
%struct.Line = type { i64, i64 }
%struct.Launch = type { ptr, ptr, ptr, [3 x i32], [3 x i32], i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i64, i32, i32, i64, ptr, ptr }
%struct.Wg = type { ptr, i32, i32, i32, i32, i32, i32, i32, i32, [3 x i32], i32, i32, i64, i64, i32, i32, ptr, ptr, ptr, ptr, ptr }
%struct.Wave = type { i64, ptr, ptr, i64, i32, i32, [3 x i32], [3 x i32], ptr, ptr, ptr, ptr, ptr, ptr, i64, i32, i32, i32, i32, i64, [48 x i16], ptr, ptr, i32, i32, [16 x i32], [16 x i32] }

@running = internal unnamed_addr global ptr null, align 8
@layout = internal constant [24 x i64] [i64 32, i64 8960, i64 64, i64 96, i64 136, i64 392, i64 128, i64 360, i64 0, i64 8, i64 16, i64 24, i64 32, i64 36, i64 40, i64 52, i64 0, i64 256, i64 768, i64 36, i64 0, i64 8, i64 19, i64 17], align 16
@fp4_value = internal unnamed_addr constant [16 x float] [float 0.000000e+00, float 5.000000e-01, float 1.000000e+00, float 1.500000e+00, float 2.000000e+00, float 3.000000e+00, float 4.000000e+00, float 6.000000e+00, float -0.000000e+00, float -5.000000e-01, float -1.000000e+00, float -1.500000e+00, float -2.000000e+00, float -3.000000e+00, float -4.000000e+00, float -6.000000e+00], align 16
@sans = internal unnamed_addr global ptr null, align 8
@event = internal unnamed_addr global i32 0, align 4
@nsans = internal unnamed_addr global i32 0, align 4
@marks = internal unnamed_addr global ptr null, align 8
@lines = internal unnamed_addr global ptr null, align 8
@search_mark = internal unnamed_addr global i32 0, align 4
@At = internal unnamed_addr global [256 x <16 x float>] zeroinitializer, align 64
@Bt = internal unnamed_addr global [256 x <16 x float>] zeroinitializer, align 64
@Sa = internal unnamed_addr global [8 x <16 x float>] zeroinitializer, align 64
@Sb = internal unnamed_addr global [8 x <16 x float>] zeroinitializer, align 64
@llvm.compiler.used = appending global [1 x ptr] [ptr @kk3_enter], section "llvm.metadata"

define void @kk3_buf_ld(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %7 = load ptr, ptr %6, align 8
  %8 = zext i32 %4 to i64
  %9 = getelementptr inbounds nuw %struct.Site, ptr %7, i64 %8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %9, i64 4
  %13 = load i32, ptr %12, align 4
  %14 = icmp eq i64 %3, -1
  br i1 %14, label %15, label %36

15:                                               ; preds = %5
  %16 = tail call fastcc i32 @bulk_load(ptr noundef nonnull %0, i64 noundef %1, i64 noundef %2, ptr noundef nonnull %9) #18
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %36, label %18

18:                                               ; preds = %15
  %19 = getelementptr inbounds nuw i8, ptr %9, i64 12
  %20 = load i32, ptr %19, align 4
  %21 = and i32 %20, 16
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %26, label %23

23:                                               ; preds = %18
  %24 = and i32 %20, 1
  %25 = or disjoint i32 %24, 2
  br label %32

26:                                               ; preds = %18
  %27 = and i32 %20, 2
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %29, label %32

29:                                               ; preds = %26
  %30 = shl i32 %20, 1
  %31 = and i32 %30, 2
  br label %32

32:                                               ; preds = %23, %26, %29
  %33 = phi i32 [ %25, %23 ], [ %31, %29 ], [ 1, %26 ]
  %34 = zext i32 %13 to i64
  %35 = shl nuw nsw i64 %34, 6
  br label %111

36:                                               ; preds = %15, %5
  %37 = zext i32 %13 to i64
  br label %41

38:                                               ; preds = %41
  %39 = and i64 %51, %3
  %40 = icmp eq i64 %39, 0
  br i1 %40, label %67, label %56

41:                                               ; preds = %36, %41
  %42 = phi i64 [ 0, %36 ], [ %52, %41 ]
  %43 = phi i64 [ 0, %36 ], [ %51, %41 ]
  %44 = getelementptr inbounds nuw i32, ptr %11, i64 %42
  %45 = load i32, ptr %44, align 4
  %46 = zext i32 %45 to i64
  %47 = add nuw nsw i64 %46, %37
  %48 = icmp ule i64 %47, %2
  %49 = zext i1 %48 to i64
  %50 = shl nuw i64 %49, %42
  %51 = or i64 %50, %43
  %52 = add nuw nsw i64 %42, 1
  %53 = icmp eq i64 %52, 64
  br i1 %53, label %38, label %41, !llvm.loop !5

54:                                               ; preds = %56
  %55 = icmp eq i64 %39, -1
  br i1 %55, label %93, label %67

56:                                               ; preds = %38, %56
  %57 = phi i64 [ %65, %56 ], [ %39, %38 ]
  %58 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %57, i1 true)
  %59 = trunc nuw nsw i64 %58 to i32
  %60 = getelementptr inbounds nuw i32, ptr %11, i64 %58
  %61 = load i32, ptr %60, align 4
  %62 = zext i32 %61 to i64
  %63 = add i64 %1, %62
  tail call fastcc void @load_lane(ptr noundef nonnull %0, i64 noundef %63, i32 noundef %59, ptr noundef nonnull %9, i32 noundef %4) #18
  %64 = add i64 %57, -1
  %65 = and i64 %64, %57
  %66 = icmp eq i64 %65, 0
  br i1 %66, label %54, label %56, !llvm.loop !8

67:                                               ; preds = %38, %54
  %68 = add i32 %13, 3
  %69 = lshr i32 %68, 2
  %70 = icmp eq i32 %69, 0
  br i1 %70, label %93, label %71

71:                                               ; preds = %67
  %72 = getelementptr inbounds nuw i8, ptr %11, i64 768
  %73 = zext nneg i32 %69 to i64
  br label %74

74:                                               ; preds = %77, %71
  %75 = phi i64 [ 0, %71 ], [ %78, %77 ]
  %76 = getelementptr inbounds nuw [64 x i32], ptr %72, i64 %75
  br label %80

77:                                               ; preds = %88
  %78 = add nuw nsw i64 %75, 1
  %79 = icmp eq i64 %78, %73
  br i1 %79, label %93, label %74, !llvm.loop !9

80:                                               ; preds = %88, %74
  %81 = phi i64 [ 0, %74 ], [ %91, %88 ]
  %82 = shl nuw i64 1, %81
  %83 = and i64 %82, %39
  %84 = icmp eq i64 %83, 0
  br i1 %84, label %88, label %85

85:                                               ; preds = %80
  %86 = getelementptr inbounds nuw i32, ptr %76, i64 %81
  %87 = load i32, ptr %86, align 4
  br label %88

88:                                               ; preds = %85, %80
  %89 = phi i32 [ %87, %85 ], [ 0, %80 ]
  %90 = getelementptr inbounds nuw i32, ptr %76, i64 %81
  store i32 %89, ptr %90, align 4
  %91 = add nuw nsw i64 %81, 1
  %92 = icmp eq i64 %91, 64
  br i1 %92, label %77, label %80, !llvm.loop !10

93:                                               ; preds = %77, %67, %54
  %94 = getelementptr inbounds nuw i8, ptr %9, i64 12
  %95 = load i32, ptr %94, align 4
  %96 = and i32 %95, 16
  %97 = icmp eq i32 %96, 0
  br i1 %97, label %101, label %98

98:                                               ; preds = %93
  %99 = and i32 %95, 1
  %100 = or disjoint i32 %99, 2
  br label %107

101:                                              ; preds = %93
  %102 = and i32 %95, 2
  %103 = icmp eq i32 %102, 0
  br i1 %103, label %104, label %107

104:                                              ; preds = %101
  %105 = shl i32 %95, 1
  %106 = and i32 %105, 2
  br label %107

107:                                              ; preds = %98, %101, %104
  %108 = phi i32 [ %100, %98 ], [ %106, %104 ], [ 1, %101 ]
  %109 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %39)
  %110 = mul nuw nsw i64 %109, %37
  br label %111

111:                                              ; preds = %107, %32
  %112 = phi i32 [ %108, %107 ], [ %33, %32 ]
  %113 = phi i64 [ %110, %107 ], [ %35, %32 ]
  %114 = add nuw nsw i32 %112, 1
  %115 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %116 = load ptr, ptr %115, align 8
  %117 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %118 = load i32, ptr %117, align 4
  %119 = mul i32 %118, 17
  %120 = add i32 %114, %119
  %121 = zext i32 %120 to i64
  %122 = getelementptr inbounds nuw i64, ptr %116, i64 %121
  %123 = load i64, ptr %122, align 8
  %124 = add i64 %123, %113
  store i64 %124, ptr %122, align 8
  ret void
}

declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

define internal fastcc range(i32 0, 2) i32 @bulk_load(ptr noundef %0, i64 noundef %1, i64 noundef %2, ptr noundef readonly captures(none) %3) unnamed_addr #0 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %6 = load ptr, ptr %5, align 8
  %7 = lshr i64 %1, 36
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %469, label %9

9:                                                ; preds = %4
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %13 = load i64, ptr %12, align 8
  %14 = icmp ult i64 %7, %13
  br i1 %14, label %15, label %469

15:                                               ; preds = %9
  %16 = load ptr, ptr %11, align 8
  %17 = getelementptr inbounds nuw %struct.Region, ptr %16, i64 %7
  %18 = getelementptr inbounds nuw i8, ptr %3, i64 4
  %19 = load i32, ptr %18, align 4
  %20 = getelementptr inbounds nuw i8, ptr %11, i64 220
  %21 = load i32, ptr %20, align 4
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %23, label %469

23:                                               ; preds = %15
  %24 = getelementptr inbounds nuw i8, ptr %17, i64 36
  %25 = load i32, ptr %24, align 4
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %27, label %469

27:                                               ; preds = %23
  %28 = load i32, ptr %6, align 8
  br label %35

29:                                               ; preds = %35
  %30 = and i64 %1, 68719476735
  %31 = zext i32 %43 to i64
  %32 = zext i32 %19 to i64
  %33 = add nuw nsw i64 %31, %32
  %34 = icmp ugt i64 %33, %2
  br i1 %34, label %469, label %47

35:                                               ; preds = %27, %35
  %36 = phi i64 [ 0, %27 ], [ %45, %35 ]
  %37 = phi i32 [ %28, %27 ], [ %42, %35 ]
  %38 = phi i32 [ %28, %27 ], [ %43, %35 ]
  %39 = phi i32 [ 0, %27 ], [ %44, %35 ]
  %40 = getelementptr inbounds nuw i32, ptr %6, i64 %36
  %41 = load i32, ptr %40, align 4
  %42 = tail call i32 @llvm.umin.i32(i32 %41, i32 %37)
  %43 = tail call i32 @llvm.umax.i32(i32 %41, i32 %38)
  %44 = or i32 %41, %39
  %45 = add nuw nsw i64 %36, 1
  %46 = icmp eq i64 %45, 64
  br i1 %46, label %29, label %35, !llvm.loop !11

47:                                               ; preds = %29
  %48 = add nuw nsw i64 %33, %30
  %49 = load i64, ptr %17, align 8
  %50 = icmp ugt i64 %48, %49
  br i1 %50, label %469, label %51

51:                                               ; preds = %47
  %52 = zext i32 %44 to i64
  %53 = or i64 %1, %52
  %54 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %55 = load i32, ptr %54, align 4
  %56 = add i32 %55, -1
  %57 = zext i32 %56 to i64
  %58 = and i64 %53, %57
  %59 = icmp eq i64 %58, 0
  br i1 %59, label %60, label %469

60:                                               ; preds = %51
  %61 = zext i32 %42 to i64
  %62 = sub nsw i64 0, %61
  %63 = add nuw nsw i64 %30, %61
  %64 = getelementptr inbounds nuw i8, ptr %17, i64 24
  %65 = load i32, ptr %64, align 8
  %66 = icmp eq i32 %65, 0
  br i1 %66, label %75, label %67

67:                                               ; preds = %60
  %68 = zext i32 %65 to i64
  %69 = lshr i64 %63, %68
  %70 = xor i64 %61, -1
  %71 = add nsw i64 %33, %70
  %72 = add nsw i64 %71, %63
  %73 = lshr i64 %72, %68
  %74 = icmp eq i64 %69, %73
  br i1 %74, label %79, label %469

75:                                               ; preds = %60
  %76 = getelementptr inbounds nuw i8, ptr %17, i64 8
  %77 = load ptr, ptr %76, align 8
  %78 = getelementptr inbounds nuw i8, ptr %77, i64 %63
  br label %113

79:                                               ; preds = %67
  %80 = getelementptr inbounds nuw i8, ptr %17, i64 16
  %81 = load ptr, ptr %80, align 8
  %82 = getelementptr inbounds nuw ptr, ptr %81, i64 %69
  %83 = load ptr, ptr %82, align 8
  %84 = icmp eq ptr %83, null
  br i1 %84, label %85, label %105

85:                                               ; preds = %79
  %86 = getelementptr inbounds nuw i8, ptr %0, i64 64
  br label %87

87:                                               ; preds = %85, %87
  %88 = load ptr, ptr %10, align 8
  %89 = getelementptr inbounds nuw i8, ptr %88, i64 256
  store i64 %7, ptr %89, align 8
  %90 = load ptr, ptr %10, align 8
  %91 = getelementptr inbounds nuw i8, ptr %90, i64 264
  store i64 %69, ptr %91, align 8
  %92 = load ptr, ptr %10, align 8
  %93 = getelementptr inbounds nuw i8, ptr %92, i64 248
  store i32 5, ptr %93, align 8
  %94 = load ptr, ptr %10, align 8
  %95 = getelementptr inbounds nuw i8, ptr %94, i64 232
  %96 = load ptr, ptr %95, align 8
  tail call void @kk3_switch(ptr noundef nonnull %86, ptr noundef %96) #19
  %97 = load ptr, ptr %80, align 8
  %98 = getelementptr inbounds nuw ptr, ptr %97, i64 %69
  %99 = load ptr, ptr %98, align 8
  %100 = icmp eq ptr %99, null
  br i1 %100, label %87, label %101, !llvm.loop !12

101:                                              ; preds = %87
  %102 = load i32, ptr %64, align 8
  %103 = load i32, ptr %6, align 4
  %104 = zext nneg i32 %102 to i64
  br label %105

105:                                              ; preds = %101, %79
  %106 = phi i64 [ %104, %101 ], [ %68, %79 ]
  %107 = phi i32 [ %103, %101 ], [ %28, %79 ]
  %108 = phi ptr [ %99, %101 ], [ %83, %79 ]
  %109 = shl nsw i64 -1, %106
  %110 = xor i64 %109, -1
  %111 = and i64 %63, %110
  %112 = getelementptr inbounds nuw i8, ptr %108, i64 %111
  br label %113

113:                                              ; preds = %75, %105
  %114 = phi i32 [ %107, %105 ], [ %28, %75 ]
  %115 = phi ptr [ %112, %105 ], [ %78, %75 ]
  br label %116

116:                                              ; preds = %113, %116
  %117 = phi i64 [ 0, %113 ], [ %126, %116 ]
  %118 = phi i32 [ 0, %113 ], [ %125, %116 ]
  %119 = getelementptr inbounds nuw i32, ptr %6, i64 %117
  %120 = load i32, ptr %119, align 4
  %121 = trunc nuw nsw i64 %117 to i32
  %122 = mul i32 %19, %121
  %123 = add i32 %114, %122
  %124 = xor i32 %123, %120
  %125 = or i32 %124, %118
  %126 = add nuw nsw i64 %117, 1
  %127 = icmp eq i64 %126, 64
  br i1 %127, label %128, label %116, !llvm.loop !13

128:                                              ; preds = %116
  %129 = getelementptr inbounds i8, ptr %115, i64 %62
  %130 = icmp eq i32 %125, 0
  br i1 %130, label %131, label %274

131:                                              ; preds = %128
  %132 = getelementptr inbounds nuw i8, ptr %6, i64 768
  switch i32 %19, label %133 [
    i32 4, label %137
    i32 8, label %146
    i32 16, label %162
  ]

133:                                              ; preds = %131
  %134 = lshr i32 %19, 2
  %135 = icmp eq i32 %134, 0
  %136 = zext nneg i32 %134 to i64
  br label %179

137:                                              ; preds = %131
  tail call void @llvm.experimental.noalias.scope.decl(metadata !14)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !17)
  br label %138

138:                                              ; preds = %137, %138
  %139 = phi i64 [ 0, %137 ], [ %144, %138 ]
  %140 = getelementptr inbounds nuw i32, ptr %132, i64 %139
  %141 = shl nuw nsw i64 %139, 2
  %142 = getelementptr inbounds nuw i8, ptr %115, i64 %141
  %143 = load i32, ptr %142, align 1, !alias.scope !17, !noalias !14
  store i32 %143, ptr %140, align 4, !alias.scope !14, !noalias !17
  %144 = add nuw nsw i64 %139, 1
  %145 = icmp eq i64 %144, 64
  br i1 %145, label %210, label %138, !llvm.loop !19

146:                                              ; preds = %131
  tail call void @llvm.experimental.noalias.scope.decl(metadata !20)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !23)
  br label %147

147:                                              ; preds = %146, %153
  %148 = phi i1 [ true, %146 ], [ false, %153 ]
  %149 = phi i64 [ 0, %146 ], [ 1, %153 ]
  %150 = getelementptr inbounds nuw [64 x i32], ptr %132, i64 %149
  %151 = shl nuw nsw i64 %149, 2
  %152 = getelementptr inbounds nuw i8, ptr %115, i64 %151
  br label %154

153:                                              ; preds = %154
  br i1 %148, label %147, label %210, !llvm.loop !25

154:                                              ; preds = %147, %154
  %155 = phi i64 [ 0, %147 ], [ %160, %154 ]
  %156 = getelementptr inbounds nuw i32, ptr %150, i64 %155
  %157 = shl nuw nsw i64 %155, 3
  %158 = getelementptr inbounds nuw i8, ptr %152, i64 %157
  %159 = load i32, ptr %158, align 1, !alias.scope !23, !noalias !20
  store i32 %159, ptr %156, align 4, !alias.scope !20, !noalias !23
  %160 = add nuw nsw i64 %155, 1
  %161 = icmp eq i64 %160, 64
  br i1 %161, label %153, label %154, !llvm.loop !19

162:                                              ; preds = %131
  tail call void @llvm.experimental.noalias.scope.decl(metadata !26)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !29)
  br label %163

163:                                              ; preds = %162, %168
  %164 = phi i64 [ 0, %162 ], [ %169, %168 ]
  %165 = getelementptr inbounds nuw [64 x i32], ptr %132, i64 %164
  %166 = shl nuw nsw i64 %164, 2
  %167 = getelementptr inbounds nuw i8, ptr %115, i64 %166
  br label %171

168:                                              ; preds = %171
  %169 = add nuw nsw i64 %164, 1
  %170 = icmp eq i64 %169, 4
  br i1 %170, label %210, label %163, !llvm.loop !25

171:                                              ; preds = %163, %171
  %172 = phi i64 [ 0, %163 ], [ %177, %171 ]
  %173 = getelementptr inbounds nuw i32, ptr %165, i64 %172
  %174 = shl nuw nsw i64 %172, 4
  %175 = getelementptr inbounds nuw i8, ptr %167, i64 %174
  %176 = load i32, ptr %175, align 1, !alias.scope !29, !noalias !26
  store i32 %176, ptr %173, align 4, !alias.scope !26, !noalias !29
  %177 = add nuw nsw i64 %172, 1
  %178 = icmp eq i64 %177, 64
  br i1 %178, label %168, label %171, !llvm.loop !19

179:                                              ; preds = %133, %207
  %180 = phi i64 [ 0, %133 ], [ %208, %207 ]
  %181 = getelementptr inbounds nuw i32, ptr %6, i64 %180
  %182 = load i32, ptr %181, align 4
  %183 = zext i32 %182 to i64
  %184 = getelementptr inbounds nuw i8, ptr %129, i64 %183
  switch i32 %19, label %185 [
    i32 4, label %188
    i32 2, label %190
    i32 1, label %193
  ]

185:                                              ; preds = %179
  br i1 %135, label %207, label %186

186:                                              ; preds = %185
  %187 = getelementptr inbounds nuw i32, ptr %132, i64 %180
  br label %196

188:                                              ; preds = %179
  %189 = load i32, ptr %184, align 1
  br label %204

190:                                              ; preds = %179
  %191 = load i16, ptr %184, align 1
  %192 = zext i16 %191 to i32
  br label %204

193:                                              ; preds = %179
  %194 = load i8, ptr %184, align 1
  %195 = zext i8 %194 to i32
  br label %204

196:                                              ; preds = %186, %196
  %197 = phi i64 [ 0, %186 ], [ %202, %196 ]
  %198 = getelementptr inbounds nuw [64 x i32], ptr %187, i64 %197
  %199 = shl nuw i64 %197, 2
  %200 = getelementptr inbounds nuw i8, ptr %184, i64 %199
  %201 = load i32, ptr %200, align 1
  store i32 %201, ptr %198, align 4
  %202 = add nuw nsw i64 %197, 1
  %203 = icmp eq i64 %202, %136
  br i1 %203, label %207, label %196, !llvm.loop !31

204:                                              ; preds = %188, %190, %193
  %205 = phi i32 [ %195, %193 ], [ %192, %190 ], [ %189, %188 ]
  %206 = getelementptr inbounds nuw i32, ptr %132, i64 %180
  store i32 %205, ptr %206, align 4
  br label %207

207:                                              ; preds = %196, %204, %185
  %208 = add nuw nsw i64 %180, 1
  %209 = icmp eq i64 %208, 64
  br i1 %209, label %210, label %179, !llvm.loop !32

210:                                              ; preds = %168, %153, %138, %207
  %211 = add i64 %1, -1
  %212 = add i64 %211, %32
  %213 = add i64 %212, %31
  %214 = getelementptr inbounds nuw i8, ptr %3, i64 20
  %215 = load i32, ptr %214, align 4
  %216 = and i32 %215, 1
  %217 = icmp eq i32 %216, 0
  br i1 %217, label %459, label %218

218:                                              ; preds = %210
  %219 = add i64 %1, %61
  %220 = and i64 %219, -512
  %221 = icmp ugt i64 %220, %213
  br i1 %221, label %459, label %222

222:                                              ; preds = %218
  %223 = getelementptr inbounds nuw i8, ptr %0, i64 132
  %224 = getelementptr inbounds nuw i8, ptr %0, i64 136
  %225 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %226 = load i32, ptr %223, align 4
  br label %227

227:                                              ; preds = %222, %270
  %228 = phi i32 [ %226, %222 ], [ %271, %270 ]
  %229 = phi i64 [ %220, %222 ], [ %272, %270 ]
  %230 = lshr exact i64 %229, 9
  %231 = lshr i64 %229, 22
  %232 = xor i64 %230, %231
  %233 = lshr i64 %229, 36
  %234 = xor i64 %232, %233
  %235 = trunc i64 %234 to i32
  %236 = and i32 %235, 8191
  %237 = trunc nuw nsw i32 %236 to i16
  %238 = icmp ugt i32 %228, 48
  br i1 %238, label %270, label %239

239:                                              ; preds = %227
  %240 = icmp eq i32 %228, 0
  br i1 %240, label %248, label %241

241:                                              ; preds = %239
  %242 = zext nneg i32 %228 to i64
  %243 = getelementptr i16, ptr %0, i64 %242
  %244 = getelementptr i8, ptr %243, i64 142
  %245 = load i16, ptr %244, align 2
  %246 = zext i16 %245 to i32
  %247 = icmp eq i32 %236, %246
  br i1 %247, label %270, label %252

248:                                              ; preds = %239
  %249 = load ptr, ptr %10, align 8
  %250 = getelementptr inbounds nuw i8, ptr %249, i64 168
  %251 = load i64, ptr %250, align 8
  store i64 %251, ptr %224, align 8
  br label %265

252:                                              ; preds = %241
  %253 = zext nneg i32 %228 to i64
  br label %257

254:                                              ; preds = %257
  %255 = add nuw nsw i64 %258, 1
  %256 = icmp eq i64 %255, %253
  br i1 %256, label %263, label %257, !llvm.loop !33

257:                                              ; preds = %252, %254
  %258 = phi i64 [ 0, %252 ], [ %255, %254 ]
  %259 = getelementptr inbounds nuw i16, ptr %225, i64 %258
  %260 = load i16, ptr %259, align 2
  %261 = zext i16 %260 to i32
  %262 = icmp eq i32 %236, %261
  br i1 %262, label %270, label %254

263:                                              ; preds = %254
  %264 = icmp eq i32 %228, 48
  br i1 %264, label %268, label %265

265:                                              ; preds = %248, %263
  %266 = zext nneg i32 %228 to i64
  %267 = getelementptr inbounds nuw i16, ptr %225, i64 %266
  store i16 %237, ptr %267, align 2
  br label %268

268:                                              ; preds = %265, %263
  %269 = add nuw nsw i32 %228, 1
  store i32 %269, ptr %223, align 4
  br label %270

270:                                              ; preds = %257, %227, %241, %268
  %271 = phi i32 [ %269, %268 ], [ %228, %227 ], [ %228, %241 ], [ %228, %257 ]
  %272 = add i64 %229, 512
  %273 = icmp ugt i64 %272, %213
  br i1 %273, label %459, label %227, !llvm.loop !34

274:                                              ; preds = %128
  %275 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %19)
  %276 = icmp eq i32 %275, 1
  br i1 %276, label %277, label %360

277:                                              ; preds = %274
  %278 = tail call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %19, i1 true)
  switch i32 %278, label %360 [
    i32 1, label %288
    i32 2, label %286
    i32 3, label %284
    i32 4, label %279
  ]

279:                                              ; preds = %277
  %280 = getelementptr inbounds nuw i8, ptr %6, i64 768
  %281 = getelementptr inbounds nuw i8, ptr %6, i64 1024
  %282 = getelementptr inbounds nuw i8, ptr %6, i64 1280
  %283 = getelementptr inbounds nuw i8, ptr %6, i64 1536
  br label %324

284:                                              ; preds = %277
  %285 = getelementptr inbounds nuw i8, ptr %6, i64 768
  br label %311

286:                                              ; preds = %277
  %287 = getelementptr inbounds nuw i8, ptr %6, i64 768
  br label %301

288:                                              ; preds = %277
  %289 = getelementptr inbounds nuw i8, ptr %6, i64 768
  br label %290

290:                                              ; preds = %288, %290
  %291 = phi i64 [ 0, %288 ], [ %299, %290 ]
  %292 = getelementptr inbounds nuw i32, ptr %6, i64 %291
  %293 = load i32, ptr %292, align 4
  %294 = zext i32 %293 to i64
  %295 = getelementptr inbounds nuw i8, ptr %129, i64 %294
  %296 = load i16, ptr %295, align 1
  %297 = zext i16 %296 to i32
  %298 = getelementptr inbounds nuw i32, ptr %289, i64 %291
  store i32 %297, ptr %298, align 4
  %299 = add nuw nsw i64 %291, 1
  %300 = icmp eq i64 %299, 64
  br i1 %300, label %396, label %290, !llvm.loop !32

301:                                              ; preds = %286, %301
  %302 = phi i64 [ 0, %286 ], [ %309, %301 ]
  %303 = getelementptr inbounds nuw i32, ptr %6, i64 %302
  %304 = load i32, ptr %303, align 4
  %305 = zext i32 %304 to i64
  %306 = getelementptr inbounds nuw i8, ptr %129, i64 %305
  %307 = load i32, ptr %306, align 1
  %308 = getelementptr inbounds nuw i32, ptr %287, i64 %302
  store i32 %307, ptr %308, align 4
  %309 = add nuw nsw i64 %302, 1
  %310 = icmp eq i64 %309, 64
  br i1 %310, label %396, label %301, !llvm.loop !32

311:                                              ; preds = %284, %311
  %312 = phi i64 [ 0, %284 ], [ %322, %311 ]
  %313 = getelementptr inbounds nuw i32, ptr %6, i64 %312
  %314 = load i32, ptr %313, align 4
  %315 = zext i32 %314 to i64
  %316 = getelementptr inbounds nuw i8, ptr %129, i64 %315
  %317 = getelementptr inbounds nuw i32, ptr %285, i64 %312
  %318 = load i32, ptr %316, align 1
  store i32 %318, ptr %317, align 4
  %319 = getelementptr inbounds nuw i8, ptr %317, i64 256
  %320 = getelementptr inbounds nuw i8, ptr %316, i64 4
  %321 = load i32, ptr %320, align 1
  store i32 %321, ptr %319, align 4
  %322 = add nuw nsw i64 %312, 1
  %323 = icmp eq i64 %322, 64
  br i1 %323, label %396, label %311, !llvm.loop !32

324:                                              ; preds = %279, %324
  %325 = phi i64 [ 0, %279 ], [ %358, %324 ]
  %326 = getelementptr inbounds nuw i32, ptr %6, i64 %325
  %327 = load i32, ptr %326, align 4
  %328 = zext i32 %327 to i64
  %329 = getelementptr inbounds nuw i8, ptr %129, i64 %328
  %330 = load <4 x i32>, ptr %329, align 4
  %331 = getelementptr inbounds nuw i8, ptr %326, i64 4
  %332 = load i32, ptr %331, align 4
  %333 = zext i32 %332 to i64
  %334 = getelementptr inbounds nuw i8, ptr %129, i64 %333
  %335 = load <4 x i32>, ptr %334, align 4
  %336 = getelementptr inbounds nuw i8, ptr %326, i64 8
  %337 = load i32, ptr %336, align 4
  %338 = zext i32 %337 to i64
  %339 = getelementptr inbounds nuw i8, ptr %129, i64 %338
  %340 = load <4 x i32>, ptr %339, align 4
  %341 = getelementptr inbounds nuw i8, ptr %326, i64 12
  %342 = load i32, ptr %341, align 4
  %343 = zext i32 %342 to i64
  %344 = getelementptr inbounds nuw i8, ptr %129, i64 %343
  %345 = load <4 x i32>, ptr %344, align 4
  %346 = shufflevector <4 x i32> %330, <4 x i32> %335, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %347 = shufflevector <4 x i32> %340, <4 x i32> %345, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %348 = shufflevector <4 x i32> %330, <4 x i32> %335, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %349 = shufflevector <4 x i32> %340, <4 x i32> %345, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %350 = shufflevector <4 x i32> %346, <4 x i32> %347, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %351 = getelementptr inbounds nuw i32, ptr %280, i64 %325
  store <4 x i32> %350, ptr %351, align 4
  %352 = shufflevector <4 x i32> %346, <4 x i32> %347, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %353 = getelementptr inbounds nuw i32, ptr %281, i64 %325
  store <4 x i32> %352, ptr %353, align 4
  %354 = shufflevector <4 x i32> %348, <4 x i32> %349, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %355 = getelementptr inbounds nuw i32, ptr %282, i64 %325
  store <4 x i32> %354, ptr %355, align 4
  %356 = shufflevector <4 x i32> %348, <4 x i32> %349, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %357 = getelementptr inbounds nuw i32, ptr %283, i64 %325
  store <4 x i32> %356, ptr %357, align 4
  %358 = add nuw nsw i64 %325, 4
  %359 = icmp samesign ult i64 %325, 60
  br i1 %359, label %324, label %396, !llvm.loop !35

360:                                              ; preds = %274, %277
  %361 = getelementptr inbounds nuw i8, ptr %6, i64 768
  %362 = lshr i32 %19, 2
  %363 = icmp eq i32 %362, 0
  %364 = zext nneg i32 %362 to i64
  br label %365

365:                                              ; preds = %360, %393
  %366 = phi i64 [ 0, %360 ], [ %394, %393 ]
  %367 = getelementptr inbounds nuw i32, ptr %6, i64 %366
  %368 = load i32, ptr %367, align 4
  %369 = zext i32 %368 to i64
  %370 = getelementptr inbounds nuw i8, ptr %129, i64 %369
  switch i32 %19, label %371 [
    i32 4, label %374
    i32 2, label %376
    i32 1, label %379
  ]

371:                                              ; preds = %365
  br i1 %363, label %393, label %372

372:                                              ; preds = %371
  %373 = getelementptr inbounds nuw i32, ptr %361, i64 %366
  br label %382

374:                                              ; preds = %365
  %375 = load i32, ptr %370, align 1
  br label %390

376:                                              ; preds = %365
  %377 = load i16, ptr %370, align 1
  %378 = zext i16 %377 to i32
  br label %390

379:                                              ; preds = %365
  %380 = load i8, ptr %370, align 1
  %381 = zext i8 %380 to i32
  br label %390

382:                                              ; preds = %372, %382
  %383 = phi i64 [ 0, %372 ], [ %388, %382 ]
  %384 = getelementptr inbounds nuw [64 x i32], ptr %373, i64 %383
  %385 = shl nuw i64 %383, 2
  %386 = getelementptr inbounds nuw i8, ptr %370, i64 %385
  %387 = load i32, ptr %386, align 1
  store i32 %387, ptr %384, align 4
  %388 = add nuw nsw i64 %383, 1
  %389 = icmp eq i64 %388, %364
  br i1 %389, label %393, label %382, !llvm.loop !31

390:                                              ; preds = %374, %376, %379
  %391 = phi i32 [ %381, %379 ], [ %378, %376 ], [ %375, %374 ]
  %392 = getelementptr inbounds nuw i32, ptr %361, i64 %366
  store i32 %391, ptr %392, align 4
  br label %393

393:                                              ; preds = %382, %390, %371
  %394 = add nuw nsw i64 %366, 1
  %395 = icmp eq i64 %394, 64
  br i1 %395, label %396, label %365, !llvm.loop !32

396:                                              ; preds = %324, %311, %301, %290, %393
  %397 = getelementptr inbounds nuw i8, ptr %3, i64 20
  %398 = load i32, ptr %397, align 4
  %399 = and i32 %398, 1
  %400 = icmp eq i32 %399, 0
  br i1 %400, label %459, label %401

401:                                              ; preds = %396
  %402 = getelementptr inbounds nuw i8, ptr %0, i64 132
  %403 = load i32, ptr %402, align 4
  %404 = icmp ult i32 %403, 49
  br i1 %404, label %405, label %459

405:                                              ; preds = %401
  %406 = getelementptr inbounds nuw i8, ptr %0, i64 136
  %407 = getelementptr inbounds nuw i8, ptr %0, i64 144
  br label %408

408:                                              ; preds = %405, %455
  %409 = phi i64 [ 0, %405 ], [ %457, %455 ]
  %410 = phi i32 [ %403, %405 ], [ %456, %455 ]
  %411 = getelementptr inbounds nuw i32, ptr %6, i64 %409
  %412 = load i32, ptr %411, align 4
  %413 = zext i32 %412 to i64
  %414 = add i64 %1, %413
  %415 = lshr i64 %414, 9
  %416 = lshr i64 %414, 22
  %417 = xor i64 %415, %416
  %418 = lshr i64 %414, 36
  %419 = xor i64 %417, %418
  %420 = trunc i64 %419 to i32
  %421 = and i32 %420, 8191
  %422 = trunc nuw nsw i32 %421 to i16
  %423 = icmp ugt i32 %410, 48
  br i1 %423, label %455, label %424

424:                                              ; preds = %408
  %425 = icmp eq i32 %410, 0
  br i1 %425, label %433, label %426

426:                                              ; preds = %424
  %427 = zext nneg i32 %410 to i64
  %428 = getelementptr i16, ptr %0, i64 %427
  %429 = getelementptr i8, ptr %428, i64 142
  %430 = load i16, ptr %429, align 2
  %431 = zext i16 %430 to i32
  %432 = icmp eq i32 %421, %431
  br i1 %432, label %455, label %437

433:                                              ; preds = %424
  %434 = load ptr, ptr %10, align 8
  %435 = getelementptr inbounds nuw i8, ptr %434, i64 168
  %436 = load i64, ptr %435, align 8
  store i64 %436, ptr %406, align 8
  br label %450

437:                                              ; preds = %426
  %438 = zext nneg i32 %410 to i64
  br label %442

439:                                              ; preds = %442
  %440 = add nuw nsw i64 %443, 1
  %441 = icmp eq i64 %440, %438
  br i1 %441, label %448, label %442, !llvm.loop !33

442:                                              ; preds = %437, %439
  %443 = phi i64 [ 0, %437 ], [ %440, %439 ]
  %444 = getelementptr inbounds nuw i16, ptr %407, i64 %443
  %445 = load i16, ptr %444, align 2
  %446 = zext i16 %445 to i32
  %447 = icmp eq i32 %421, %446
  br i1 %447, label %455, label %439

448:                                              ; preds = %439
  %449 = icmp eq i32 %410, 48
  br i1 %449, label %453, label %450

450:                                              ; preds = %433, %448
  %451 = zext nneg i32 %410 to i64
  %452 = getelementptr inbounds nuw i16, ptr %407, i64 %451
  store i16 %422, ptr %452, align 2
  br label %453

453:                                              ; preds = %450, %448
  %454 = add nuw nsw i32 %410, 1
  store i32 %454, ptr %402, align 4
  br label %455

455:                                              ; preds = %442, %408, %426, %453
  %456 = phi i32 [ %454, %453 ], [ 49, %408 ], [ %410, %426 ], [ %410, %442 ]
  %457 = add nuw nsw i64 %409, 1
  %458 = icmp eq i64 %457, 64
  br i1 %458, label %459, label %408, !llvm.loop !36

459:                                              ; preds = %455, %270, %218, %210, %396, %401
  %460 = getelementptr inbounds nuw i8, ptr %3, i64 12
  %461 = load i32, ptr %460, align 4
  %462 = and i32 %461, 16
  %463 = icmp eq i32 %462, 0
  br i1 %463, label %469, label %464

464:                                              ; preds = %459
  %465 = getelementptr inbounds nuw i8, ptr %17, i64 56
  %466 = load ptr, ptr %465, align 8
  %467 = icmp eq ptr %466, null
  br i1 %467, label %469, label %468

468:                                              ; preds = %464
  tail call fastcc void @handed_in_all(ptr noundef %0, ptr noundef nonnull %17, i64 noundef %30, i32 noundef %19, i32 noundef %42, i32 noundef %43) #18
  br label %469

469:                                              ; preds = %23, %15, %459, %464, %468, %67, %29, %47, %51, %4, %9
  %470 = phi i32 [ 0, %4 ], [ 0, %9 ], [ 0, %15 ], [ 0, %23 ], [ 0, %29 ], [ 0, %67 ], [ 0, %51 ], [ 0, %47 ], [ 1, %468 ], [ 1, %464 ], [ 1, %459 ]
  ret i32 %470
}

declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

define internal fastcc void @load_lane(ptr noundef %0, i64 noundef %1, i32 noundef range(i32 0, 64) %2, ptr noundef readonly captures(none) %3, i32 noundef %4) unnamed_addr #2 {
  %6 = alloca [128 x i8], align 16
  %7 = lshr i64 %1, 36
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %15, label %9

9:                                                ; preds = %5
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %13 = load i64, ptr %12, align 8
  %14 = icmp ult i64 %7, %13
  br i1 %14, label %16, label %15

15:                                               ; preds = %9, %5
  tail call void @kk3_fault(ptr noundef %0, i32 noundef 2, i32 noundef %4, i64 noundef %1, i32 noundef range(i32 0, 64) %2, i64 noundef 0) #18
  unreachable

16:                                               ; preds = %9
  %17 = load ptr, ptr %11, align 8
  %18 = getelementptr inbounds nuw %struct.Region, ptr %17, i64 %7
  %19 = and i64 %1, 68719476735
  %20 = getelementptr inbounds nuw i8, ptr %3, i64 4
  %21 = load i32, ptr %20, align 4
  %22 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %23 = load i32, ptr %22, align 4
  %24 = zext i32 %21 to i64
  %25 = add nuw nsw i64 %19, %24
  %26 = load i64, ptr %18, align 8
  %27 = icmp ugt i64 %25, %26
  br i1 %27, label %28, label %29

28:                                               ; preds = %16
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 1, i32 noundef %4, i64 noundef %1, i32 noundef range(i32 0, 64) %2, i64 noundef %26) #18
  unreachable

29:                                               ; preds = %16
  %30 = add i32 %23, -1
  %31 = zext i32 %30 to i64
  %32 = and i64 %1, %31
  %33 = icmp eq i64 %32, 0
  br i1 %33, label %36, label %34

34:                                               ; preds = %29
  %35 = zext i32 %23 to i64
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 3, i32 noundef %4, i64 noundef %1, i32 noundef range(i32 0, 64) %2, i64 noundef %35) #18
  unreachable

36:                                               ; preds = %29
  %37 = getelementptr inbounds nuw i8, ptr %11, i64 220
  %38 = load i32, ptr %37, align 4
  %39 = icmp eq i32 %38, 0
  br i1 %39, label %43, label %40

40:                                               ; preds = %36
  %41 = getelementptr inbounds nuw i8, ptr %3, i64 12
  %42 = load i32, ptr %41, align 4
  tail call void @kk3_san_load(ptr noundef nonnull %0, i64 noundef %1, i32 noundef %21, i32 noundef %42, i32 noundef %4, i32 noundef %2) #18
  br label %43

43:                                               ; preds = %40, %36
  %44 = getelementptr inbounds nuw i8, ptr %18, i64 24
  %45 = load i32, ptr %44, align 8
  %46 = icmp eq i32 %45, 0
  br i1 %46, label %53, label %47

47:                                               ; preds = %43
  %48 = zext i32 %45 to i64
  %49 = lshr i64 %19, %48
  %50 = add nsw i64 %25, -1
  %51 = lshr i64 %50, %48
  %52 = icmp eq i64 %49, %51
  br i1 %52, label %59, label %129

53:                                               ; preds = %43
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %55 = load ptr, ptr %54, align 8
  %56 = getelementptr inbounds nuw i8, ptr %18, i64 8
  %57 = load ptr, ptr %56, align 8
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 %19
  br label %93

59:                                               ; preds = %47
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr inbounds nuw i8, ptr %18, i64 16
  %63 = load ptr, ptr %62, align 8
  %64 = getelementptr inbounds nuw ptr, ptr %63, i64 %49
  %65 = load ptr, ptr %64, align 8
  %66 = icmp eq ptr %65, null
  br i1 %66, label %67, label %86

67:                                               ; preds = %59
  %68 = getelementptr inbounds nuw i8, ptr %0, i64 64
  br label %69

69:                                               ; preds = %67, %69
  %70 = load ptr, ptr %10, align 8
  %71 = getelementptr inbounds nuw i8, ptr %70, i64 256
  store i64 %7, ptr %71, align 8
  %72 = load ptr, ptr %10, align 8
  %73 = getelementptr inbounds nuw i8, ptr %72, i64 264
  store i64 %49, ptr %73, align 8
  %74 = load ptr, ptr %10, align 8
  %75 = getelementptr inbounds nuw i8, ptr %74, i64 248
  store i32 5, ptr %75, align 8
  %76 = load ptr, ptr %10, align 8
  %77 = getelementptr inbounds nuw i8, ptr %76, i64 232
  %78 = load ptr, ptr %77, align 8
  tail call void @kk3_switch(ptr noundef nonnull %68, ptr noundef %78) #19
  %79 = load ptr, ptr %62, align 8
  %80 = getelementptr inbounds nuw ptr, ptr %79, i64 %49
  %81 = load ptr, ptr %80, align 8
  %82 = icmp eq ptr %81, null
  br i1 %82, label %69, label %83, !llvm.loop !12

83:                                               ; preds = %69
  %84 = load i32, ptr %44, align 8
  %85 = zext nneg i32 %84 to i64
  br label %86

86:                                               ; preds = %83, %59
  %87 = phi i64 [ %85, %83 ], [ %48, %59 ]
  %88 = phi ptr [ %81, %83 ], [ %65, %59 ]
  %89 = shl nsw i64 -1, %87
  %90 = xor i64 %89, -1
  %91 = and i64 %19, %90
  %92 = getelementptr inbounds nuw i8, ptr %88, i64 %91
  br label %93

93:                                               ; preds = %53, %86
  %94 = phi ptr [ %61, %86 ], [ %55, %53 ]
  %95 = phi ptr [ %92, %86 ], [ %58, %53 ]
  switch i32 %21, label %96 [
    i32 4, label %104
    i32 2, label %109
    i32 1, label %115
  ]

96:                                               ; preds = %93
  %97 = lshr i32 %21, 2
  %98 = icmp eq i32 %97, 0
  br i1 %98, label %216, label %99

99:                                               ; preds = %96
  %100 = getelementptr inbounds nuw i8, ptr %94, i64 768
  %101 = zext nneg i32 %2 to i64
  %102 = getelementptr inbounds nuw i32, ptr %100, i64 %101
  %103 = zext nneg i32 %97 to i64
  br label %121

104:                                              ; preds = %93
  %105 = load i32, ptr %95, align 1
  %106 = getelementptr inbounds nuw i8, ptr %94, i64 768
  %107 = zext nneg i32 %2 to i64
  %108 = getelementptr inbounds nuw i32, ptr %106, i64 %107
  store i32 %105, ptr %108, align 4
  br label %216

109:                                              ; preds = %93
  %110 = load i16, ptr %95, align 1
  %111 = zext i16 %110 to i32
  %112 = getelementptr inbounds nuw i8, ptr %94, i64 768
  %113 = zext nneg i32 %2 to i64
  %114 = getelementptr inbounds nuw i32, ptr %112, i64 %113
  store i32 %111, ptr %114, align 4
  br label %216

115:                                              ; preds = %93
  %116 = load i8, ptr %95, align 1
  %117 = zext i8 %116 to i32
  %118 = getelementptr inbounds nuw i8, ptr %94, i64 768
  %119 = zext nneg i32 %2 to i64
  %120 = getelementptr inbounds nuw i32, ptr %118, i64 %119
  store i32 %117, ptr %120, align 4
  br label %216

121:                                              ; preds = %99, %121
  %122 = phi i64 [ 0, %99 ], [ %127, %121 ]
  %123 = getelementptr inbounds nuw [64 x i32], ptr %102, i64 %122
  %124 = shl nuw i64 %122, 2
  %125 = getelementptr inbounds nuw i8, ptr %95, i64 %124
  %126 = load i32, ptr %125, align 1
  store i32 %126, ptr %123, align 4
  %127 = add nuw nsw i64 %122, 1
  %128 = icmp eq i64 %127, %103
  br i1 %128, label %216, label %121, !llvm.loop !31

129:                                              ; preds = %47
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #20
  %130 = icmp eq i32 %21, 0
  br i1 %130, label %215, label %131

131:                                              ; preds = %129
  %132 = getelementptr inbounds nuw i8, ptr %18, i64 16
  %133 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %134 = getelementptr inbounds nuw i8, ptr %18, i64 8
  br label %167

135:                                              ; preds = %207
  %136 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %137 = load ptr, ptr %136, align 8
  switch i32 %21, label %138 [
    i32 4, label %146
    i32 2, label %148
    i32 1, label %151
  ]

138:                                              ; preds = %135
  %139 = lshr i32 %21, 2
  %140 = icmp eq i32 %139, 0
  br i1 %140, label %215, label %141

141:                                              ; preds = %138
  %142 = getelementptr inbounds nuw i8, ptr %137, i64 768
  %143 = zext nneg i32 %2 to i64
  %144 = getelementptr inbounds nuw i32, ptr %142, i64 %143
  %145 = zext nneg i32 %139 to i64
  br label %154

146:                                              ; preds = %135
  %147 = load i32, ptr %6, align 16
  br label %162

148:                                              ; preds = %135
  %149 = load i16, ptr %6, align 16
  %150 = zext i16 %149 to i32
  br label %162

151:                                              ; preds = %135
  %152 = load i8, ptr %6, align 16
  %153 = zext i8 %152 to i32
  br label %162

154:                                              ; preds = %154, %141
  %155 = phi i64 [ 0, %141 ], [ %160, %154 ]
  %156 = getelementptr inbounds nuw [64 x i32], ptr %144, i64 %155
  %157 = shl nuw i64 %155, 2
  %158 = getelementptr inbounds nuw i8, ptr %6, i64 %157
  %159 = load i32, ptr %158, align 4
  store i32 %159, ptr %156, align 4
  %160 = add nuw nsw i64 %155, 1
  %161 = icmp eq i64 %160, %145
  br i1 %161, label %215, label %154, !llvm.loop !31

162:                                              ; preds = %151, %148, %146
  %163 = phi i32 [ %147, %146 ], [ %150, %148 ], [ %153, %151 ]
  %164 = getelementptr inbounds nuw i8, ptr %137, i64 768
  %165 = zext nneg i32 %2 to i64
  %166 = getelementptr inbounds nuw i32, ptr %164, i64 %165
  store i32 %163, ptr %166, align 4
  br label %215

167:                                              ; preds = %207, %131
  %168 = phi i32 [ %45, %131 ], [ %208, %207 ]
  %169 = phi i32 [ %45, %131 ], [ %209, %207 ]
  %170 = phi i64 [ 0, %131 ], [ %213, %207 ]
  %171 = add nuw nsw i64 %170, %19
  %172 = icmp eq i32 %169, 0
  br i1 %172, label %173, label %176

173:                                              ; preds = %167
  %174 = load ptr, ptr %134, align 8
  %175 = getelementptr inbounds nuw i8, ptr %174, i64 %171
  br label %207

176:                                              ; preds = %167
  %177 = zext nneg i32 %169 to i64
  %178 = lshr i64 %171, %177
  %179 = load ptr, ptr %132, align 8
  %180 = getelementptr inbounds nuw ptr, ptr %179, i64 %178
  %181 = load ptr, ptr %180, align 8
  %182 = icmp eq ptr %181, null
  br i1 %182, label %183, label %199

183:                                              ; preds = %176, %183
  %184 = load ptr, ptr %10, align 8
  %185 = getelementptr inbounds nuw i8, ptr %184, i64 256
  store i64 %7, ptr %185, align 8
  %186 = load ptr, ptr %10, align 8
  %187 = getelementptr inbounds nuw i8, ptr %186, i64 264
  store i64 %178, ptr %187, align 8
  %188 = load ptr, ptr %10, align 8
  %189 = getelementptr inbounds nuw i8, ptr %188, i64 248
  store i32 5, ptr %189, align 8
  %190 = load ptr, ptr %10, align 8
  %191 = getelementptr inbounds nuw i8, ptr %190, i64 232
  %192 = load ptr, ptr %191, align 8
  tail call void @kk3_switch(ptr noundef nonnull %133, ptr noundef %192) #19
  %193 = load ptr, ptr %132, align 8
  %194 = getelementptr inbounds nuw ptr, ptr %193, i64 %178
  %195 = load ptr, ptr %194, align 8
  %196 = icmp eq ptr %195, null
  br i1 %196, label %183, label %197, !llvm.loop !12

197:                                              ; preds = %183
  %198 = load i32, ptr %44, align 8
  br label %199

199:                                              ; preds = %197, %176
  %200 = phi i32 [ %168, %176 ], [ %198, %197 ]
  %201 = phi ptr [ %181, %176 ], [ %195, %197 ]
  %202 = zext nneg i32 %200 to i64
  %203 = shl nsw i64 -1, %202
  %204 = xor i64 %203, -1
  %205 = and i64 %171, %204
  %206 = getelementptr inbounds nuw i8, ptr %201, i64 %205
  br label %207

207:                                              ; preds = %199, %173
  %208 = phi i32 [ %200, %199 ], [ %168, %173 ]
  %209 = phi i32 [ %200, %199 ], [ 0, %173 ]
  %210 = phi ptr [ %206, %199 ], [ %175, %173 ]
  %211 = load i8, ptr %210, align 1
  %212 = getelementptr inbounds nuw i8, ptr %6, i64 %170
  store i8 %211, ptr %212, align 1
  %213 = add nuw nsw i64 %170, 1
  %214 = icmp eq i64 %213, %24
  br i1 %214, label %135, label %167, !llvm.loop !37

215:                                              ; preds = %154, %129, %138, %162
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #20
  br label %216

216:                                              ; preds = %121, %96, %115, %109, %104, %215
  %217 = getelementptr inbounds nuw i8, ptr %18, i64 36
  %218 = load i32, ptr %217, align 4
  %219 = icmp eq i32 %218, 0
  %220 = icmp eq i32 %21, 0
  %221 = or i1 %220, %219
  br i1 %221, label %243, label %222

222:                                              ; preds = %216
  %223 = getelementptr inbounds nuw i8, ptr %18, i64 40
  %224 = load ptr, ptr %223, align 8
  %225 = icmp eq ptr %224, null
  br i1 %225, label %240, label %229

226:                                              ; preds = %229
  %227 = add nuw nsw i64 %230, 1
  %228 = icmp samesign ult i64 %227, %25
  br i1 %228, label %229, label %243, !llvm.loop !38

229:                                              ; preds = %222, %226
  %230 = phi i64 [ %227, %226 ], [ %19, %222 ]
  %231 = lshr i64 %230, 3
  %232 = getelementptr inbounds nuw i8, ptr %224, i64 %231
  %233 = load i8, ptr %232, align 1
  %234 = zext i8 %233 to i32
  %235 = trunc i64 %230 to i32
  %236 = and i32 %235, 7
  %237 = shl nuw nsw i32 1, %236
  %238 = and i32 %237, %234
  %239 = icmp eq i32 %238, 0
  br i1 %239, label %240, label %226

240:                                              ; preds = %229, %222
  %241 = load ptr, ptr %10, align 8
  %242 = tail call ptr @kk3_find(ptr noundef %241, ptr noundef readonly %0, i32 noundef 5, i32 noundef %4, i64 noundef %1, i32 noundef range(i32 0, 64) %2, i64 noundef %24) #18
  br label %243

243:                                              ; preds = %226, %240, %216
  %244 = getelementptr inbounds nuw i8, ptr %3, i64 20
  %245 = load i32, ptr %244, align 4
  %246 = and i32 %245, 1
  %247 = icmp eq i32 %246, 0
  br i1 %247, label %293, label %248

248:                                              ; preds = %243
  %249 = lshr i64 %1, 9
  %250 = lshr i64 %1, 22
  %251 = xor i64 %249, %250
  %252 = xor i64 %251, %7
  %253 = trunc i64 %252 to i32
  %254 = and i32 %253, 8191
  %255 = trunc nuw nsw i32 %254 to i16
  %256 = getelementptr inbounds nuw i8, ptr %0, i64 132
  %257 = load i32, ptr %256, align 4
  %258 = icmp ugt i32 %257, 48
  br i1 %258, label %293, label %259

259:                                              ; preds = %248
  %260 = icmp eq i32 %257, 0
  br i1 %260, label %268, label %261

261:                                              ; preds = %259
  %262 = zext nneg i32 %257 to i64
  %263 = getelementptr i16, ptr %0, i64 %262
  %264 = getelementptr i8, ptr %263, i64 142
  %265 = load i16, ptr %264, align 2
  %266 = zext i16 %265 to i32
  %267 = icmp eq i32 %254, %266
  br i1 %267, label %293, label %273

268:                                              ; preds = %259
  %269 = load ptr, ptr %10, align 8
  %270 = getelementptr inbounds nuw i8, ptr %269, i64 168
  %271 = load i64, ptr %270, align 8
  %272 = getelementptr inbounds nuw i8, ptr %0, i64 136
  store i64 %271, ptr %272, align 8
  br label %287

273:                                              ; preds = %261
  %274 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %275 = zext nneg i32 %257 to i64
  br label %279

276:                                              ; preds = %279
  %277 = add nuw nsw i64 %280, 1
  %278 = icmp eq i64 %277, %275
  br i1 %278, label %285, label %279, !llvm.loop !33

279:                                              ; preds = %273, %276
  %280 = phi i64 [ 0, %273 ], [ %277, %276 ]
  %281 = getelementptr inbounds nuw i16, ptr %274, i64 %280
  %282 = load i16, ptr %281, align 2
  %283 = zext i16 %282 to i32
  %284 = icmp eq i32 %254, %283
  br i1 %284, label %293, label %276

285:                                              ; preds = %276
  %286 = icmp eq i32 %257, 48
  br i1 %286, label %291, label %287

287:                                              ; preds = %268, %285
  %288 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %289 = zext nneg i32 %257 to i64
  %290 = getelementptr inbounds nuw i16, ptr %288, i64 %289
  store i16 %255, ptr %290, align 2
  br label %291

291:                                              ; preds = %287, %285
  %292 = add nuw nsw i32 %257, 1
  store i32 %292, ptr %256, align 4
  br label %293

293:                                              ; preds = %279, %291, %261, %248, %243
  %294 = getelementptr inbounds nuw i8, ptr %3, i64 12
  %295 = load i32, ptr %294, align 4
  %296 = and i32 %295, 16
  %297 = icmp ne i32 %296, 0
  %298 = icmp ne i32 %21, 0
  %299 = and i1 %297, %298
  br i1 %299, label %300, label %327

300:                                              ; preds = %293
  %301 = getelementptr inbounds nuw i8, ptr %18, i64 56
  %302 = getelementptr inbounds nuw i8, ptr %0, i64 80
  br label %303

303:                                              ; preds = %300, %324
  %304 = phi i64 [ 0, %300 ], [ %325, %324 ]
  %305 = add nuw nsw i64 %19, %304
  %306 = load ptr, ptr %301, align 8
  %307 = icmp eq ptr %306, null
  br i1 %307, label %324, label %308

308:                                              ; preds = %303
  %309 = lshr i64 %305, 16
  %310 = getelementptr inbounds nuw ptr, ptr %306, i64 %309
  %311 = load ptr, ptr %310, align 8
  %312 = icmp eq ptr %311, null
  br i1 %312, label %324, label %313

313:                                              ; preds = %308
  %314 = lshr i64 %305, 3
  %315 = and i64 %314, 8191
  %316 = getelementptr inbounds nuw i16, ptr %311, i64 %315
  %317 = load i16, ptr %316, align 2
  %318 = zext i16 %317 to i32
  %319 = load ptr, ptr %302, align 8
  %320 = getelementptr inbounds nuw i8, ptr %319, i64 36
  %321 = load i32, ptr %320, align 4
  %322 = icmp ult i32 %321, %318
  br i1 %322, label %323, label %324

323:                                              ; preds = %313
  store i32 %318, ptr %320, align 4
  br label %324

324:                                              ; preds = %308, %303, %313, %323
  %325 = add nuw nsw i64 %304, 8
  %326 = icmp samesign ult i64 %325, %24
  br i1 %326, label %303, label %327, !llvm.loop !39

327:                                              ; preds = %324, %293
  ret void
}

define void @kk3_buf_ld_u(ptr noundef %0, i64 noundef %1, i64 noundef %2, i32 noundef %3, i64 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %8 = load ptr, ptr %7, align 8
  %9 = zext i32 %5 to i64
  %10 = getelementptr inbounds nuw %struct.Site, ptr %8, i64 %9
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %12 = load ptr, ptr %11, align 8
  %13 = icmp eq i64 %4, 0
  br i1 %13, label %14, label %17

14:                                               ; preds = %6
  %15 = getelementptr inbounds nuw i8, ptr %10, i64 4
  %16 = load i32, ptr %15, align 4
  br label %24

17:                                               ; preds = %6
  %18 = zext i32 %3 to i64
  %19 = getelementptr inbounds nuw i8, ptr %10, i64 4
  %20 = load i32, ptr %19, align 4
  %21 = zext i32 %20 to i64
  %22 = add nuw nsw i64 %21, %18
  %23 = icmp ugt i64 %22, %2
  br i1 %23, label %24, label %40

24:                                               ; preds = %14, %17
  %25 = phi i32 [ %16, %14 ], [ %20, %17 ]
  %26 = getelementptr inbounds nuw i8, ptr %10, i64 4
  %27 = add i32 %25, 3
  %28 = icmp ult i32 %27, 4
  br i1 %28, label %70, label %29

29:                                               ; preds = %24
  %30 = getelementptr inbounds nuw i8, ptr %12, i64 768
  br label %31

31:                                               ; preds = %29, %31
  %32 = phi i64 [ 0, %29 ], [ %34, %31 ]
  %33 = getelementptr inbounds nuw [64 x i32], ptr %30, i64 %32
  store i32 0, ptr %33, align 8
  %34 = add nuw nsw i64 %32, 1
  %35 = load i32, ptr %26, align 4
  %36 = add i32 %35, 3
  %37 = lshr i32 %36, 2
  %38 = zext nneg i32 %37 to i64
  %39 = icmp samesign ult i64 %34, %38
  br i1 %39, label %31, label %70, !llvm.loop !40

40:                                               ; preds = %17
  %41 = add i64 %1, %18
  tail call fastcc void @load_lane(ptr noundef nonnull %0, i64 noundef %41, i32 noundef 0, ptr noundef nonnull %10, i32 noundef %5) #18
  %42 = getelementptr inbounds nuw i8, ptr %10, i64 12
  %43 = load i32, ptr %42, align 4
  %44 = and i32 %43, 16
  %45 = icmp eq i32 %44, 0
  br i1 %45, label %49, label %46

46:                                               ; preds = %40
  %47 = and i32 %43, 1
  %48 = or disjoint i32 %47, 2
  br label %55

49:                                               ; preds = %40
  %50 = and i32 %43, 2
  %51 = icmp eq i32 %50, 0
  br i1 %51, label %52, label %55

52:                                               ; preds = %49
  %53 = shl i32 %43, 1
  %54 = and i32 %53, 2
  br label %55

55:                                               ; preds = %46, %49, %52
  %56 = phi i32 [ %48, %46 ], [ %54, %52 ], [ 1, %49 ]
  %57 = add nuw nsw i32 %56, 1
  %58 = load i32, ptr %19, align 4
  %59 = zext i32 %58 to i64
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %61 = load ptr, ptr %60, align 8
  %62 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %63 = load i32, ptr %62, align 4
  %64 = mul i32 %63, 17
  %65 = add i32 %57, %64
  %66 = zext i32 %65 to i64
  %67 = getelementptr inbounds nuw i64, ptr %61, i64 %66
  %68 = load i64, ptr %67, align 8
  %69 = add i64 %68, %59
  store i64 %69, ptr %67, align 8
  br label %70

70:                                               ; preds = %31, %24, %55
  ret void
}

define void @kk3_buf_st(ptr noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3, i32 noundef %4) local_unnamed_addr #0 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %7 = load ptr, ptr %6, align 8
  %8 = zext i32 %4 to i64
  %9 = getelementptr inbounds nuw %struct.Site, ptr %7, i64 %8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %9, i64 4
  %13 = load i32, ptr %12, align 4
  %14 = zext i32 %13 to i64
  br label %18

15:                                               ; preds = %18
  %16 = and i64 %28, %3
  %17 = icmp eq i64 %16, 0
  br i1 %17, label %31, label %60

18:                                               ; preds = %5, %18
  %19 = phi i64 [ 0, %5 ], [ %29, %18 ]
  %20 = phi i64 [ 0, %5 ], [ %28, %18 ]
  %21 = getelementptr inbounds nuw i32, ptr %11, i64 %19
  %22 = load i32, ptr %21, align 4
  %23 = zext i32 %22 to i64
  %24 = add nuw nsw i64 %23, %14
  %25 = icmp ule i64 %24, %2
  %26 = zext i1 %25 to i64
  %27 = shl nuw i64 %26, %19
  %28 = or i64 %27, %20
  %29 = add nuw nsw i64 %19, 1
  %30 = icmp eq i64 %29, 64
  br i1 %30, label %15, label %18, !llvm.loop !41

31:                                               ; preds = %60, %15
  %32 = getelementptr inbounds nuw i8, ptr %9, i64 12
  %33 = load i32, ptr %32, align 4
  %34 = and i32 %33, 16
  %35 = icmp eq i32 %34, 0
  br i1 %35, label %39, label %36

36:                                               ; preds = %31
  %37 = and i32 %33, 1
  %38 = or disjoint i32 %37, 2
  br label %45

39:                                               ; preds = %31
  %40 = and i32 %33, 2
  %41 = icmp eq i32 %40, 0
  br i1 %41, label %42, label %45

42:                                               ; preds = %39
  %43 = shl i32 %33, 1
  %44 = and i32 %43, 2
  br label %45

45:                                               ; preds = %36, %39, %42
  %46 = phi i32 [ %38, %36 ], [ %44, %42 ], [ 1, %39 ]
  %47 = add nuw nsw i32 %46, 5
  %48 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %16)
  %49 = mul nuw nsw i64 %48, %14
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %51 = load ptr, ptr %50, align 8
  %52 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %53 = load i32, ptr %52, align 4
  %54 = mul i32 %53, 17
  %55 = add i32 %47, %54
  %56 = zext i32 %55 to i64
  %57 = getelementptr inbounds nuw i64, ptr %51, i64 %56
  %58 = load i64, ptr %57, align 8
  %59 = add i64 %58, %49
  store i64 %59, ptr %57, align 8
  ret void

60:                                               ; preds = %15, %60
  %61 = phi i64 [ %69, %60 ], [ %16, %15 ]
  %62 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %61, i1 true)
  %63 = trunc nuw nsw i64 %62 to i32
  %64 = getelementptr inbounds nuw i32, ptr %11, i64 %62
  %65 = load i32, ptr %64, align 4
  %66 = zext i32 %65 to i64
  %67 = add i64 %1, %66
  tail call fastcc void @store_lane(ptr noundef nonnull %0, i64 noundef %67, i32 noundef %63, ptr noundef nonnull %9, i32 noundef %4) #18
  %68 = add i64 %61, -1
  %69 = and i64 %68, %61
  %70 = icmp eq i64 %69, 0
  br i1 %70, label %31, label %60, !llvm.loop !42
}

define internal fastcc void @store_lane(ptr noundef %0, i64 noundef %1, i32 noundef range(i32 0, 64) %2, ptr noundef readonly captures(none) %3, i32 noundef %4) unnamed_addr #2 {
  %6 = alloca [128 x i8], align 16
  %7 = lshr i64 %1, 36
  %8 = icmp eq i64 %7, 0
  br i1 %8, label %15, label %9

9:                                                ; preds = %5
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %13 = load i64, ptr %12, align 8
  %14 = icmp ult i64 %7, %13
  br i1 %14, label %16, label %15

15:                                               ; preds = %9, %5
  tail call void @kk3_fault(ptr noundef %0, i32 noundef 2, i32 noundef %4, i64 noundef %1, i32 noundef range(i32 0, 64) %2, i64 noundef 0) #18
  unreachable

16:                                               ; preds = %9
  %17 = load ptr, ptr %11, align 8
  %18 = getelementptr inbounds nuw %struct.Region, ptr %17, i64 %7
  %19 = and i64 %1, 68719476735
  %20 = getelementptr inbounds nuw i8, ptr %3, i64 4
  %21 = load i32, ptr %20, align 4
  %22 = getelementptr inbounds nuw i8, ptr %3, i64 8
  %23 = load i32, ptr %22, align 4
  %24 = zext i32 %21 to i64
  %25 = add nuw nsw i64 %19, %24
  %26 = load i64, ptr %18, align 8
  %27 = icmp ugt i64 %25, %26
  br i1 %27, label %28, label %29

28:                                               ; preds = %16
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 1, i32 noundef %4, i64 noundef %1, i32 noundef range(i32 0, 64) %2, i64 noundef %26) #18
  unreachable

29:                                               ; preds = %16
  %30 = add i32 %23, -1
  %31 = zext i32 %30 to i64
  %32 = and i64 %1, %31
  %33 = icmp eq i64 %32, 0
  br i1 %33, label %36, label %34

34:                                               ; preds = %29
  %35 = zext i32 %23 to i64
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 3, i32 noundef %4, i64 noundef %1, i32 noundef range(i32 0, 64) %2, i64 noundef %35) #18
  unreachable

36:                                               ; preds = %29
  %37 = getelementptr inbounds nuw i8, ptr %18, i64 28
  %38 = load i32, ptr %37, align 4
  %39 = icmp eq i32 %38, 0
  br i1 %39, label %40, label %41

40:                                               ; preds = %36
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 7, i32 noundef %4, i64 noundef %1, i32 noundef %2, i64 noundef %24) #18
  unreachable

41:                                               ; preds = %36
  %42 = getelementptr inbounds nuw i8, ptr %11, i64 220
  %43 = load i32, ptr %42, align 4
  %44 = icmp eq i32 %43, 0
  br i1 %44, label %48, label %45

45:                                               ; preds = %41
  %46 = getelementptr inbounds nuw i8, ptr %3, i64 12
  %47 = load i32, ptr %46, align 4
  tail call void @kk3_san_store(ptr noundef nonnull %0, i64 noundef %1, i32 noundef %21, i32 noundef %47, i32 noundef %4, i32 noundef %2) #18
  br label %48

48:                                               ; preds = %45, %41
  %49 = getelementptr inbounds nuw i8, ptr %18, i64 24
  %50 = load i32, ptr %49, align 8
  %51 = icmp eq i32 %50, 0
  br i1 %51, label %58, label %52

52:                                               ; preds = %48
  %53 = zext i32 %50 to i64
  %54 = lshr i64 %19, %53
  %55 = add nsw i64 %25, -1
  %56 = lshr i64 %55, %53
  %57 = icmp eq i64 %54, %56
  br i1 %57, label %64, label %134

58:                                               ; preds = %48
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %60 = load ptr, ptr %59, align 8
  %61 = getelementptr inbounds nuw i8, ptr %18, i64 8
  %62 = load ptr, ptr %61, align 8
  %63 = getelementptr inbounds nuw i8, ptr %62, i64 %19
  br label %98

64:                                               ; preds = %52
  %65 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %66 = load ptr, ptr %65, align 8
  %67 = getelementptr inbounds nuw i8, ptr %18, i64 16
  %68 = load ptr, ptr %67, align 8
  %69 = getelementptr inbounds nuw ptr, ptr %68, i64 %54
  %70 = load ptr, ptr %69, align 8
  %71 = icmp eq ptr %70, null
  br i1 %71, label %72, label %91

72:                                               ; preds = %64
  %73 = getelementptr inbounds nuw i8, ptr %0, i64 64
  br label %74

74:                                               ; preds = %72, %74
  %75 = load ptr, ptr %10, align 8
  %76 = getelementptr inbounds nuw i8, ptr %75, i64 256
  store i64 %7, ptr %76, align 8
  %77 = load ptr, ptr %10, align 8
  %78 = getelementptr inbounds nuw i8, ptr %77, i64 264
  store i64 %54, ptr %78, align 8
  %79 = load ptr, ptr %10, align 8
  %80 = getelementptr inbounds nuw i8, ptr %79, i64 248
  store i32 5, ptr %80, align 8
  %81 = load ptr, ptr %10, align 8
  %82 = getelementptr inbounds nuw i8, ptr %81, i64 232
  %83 = load ptr, ptr %82, align 8
  tail call void @kk3_switch(ptr noundef nonnull %73, ptr noundef %83) #19
  %84 = load ptr, ptr %67, align 8
  %85 = getelementptr inbounds nuw ptr, ptr %84, i64 %54
  %86 = load ptr, ptr %85, align 8
  %87 = icmp eq ptr %86, null
  br i1 %87, label %74, label %88, !llvm.loop !12

88:                                               ; preds = %74
  %89 = load i32, ptr %49, align 8
  %90 = zext nneg i32 %89 to i64
  br label %91

91:                                               ; preds = %88, %64
  %92 = phi i64 [ %90, %88 ], [ %53, %64 ]
  %93 = phi ptr [ %86, %88 ], [ %70, %64 ]
  %94 = shl nsw i64 -1, %92
  %95 = xor i64 %94, -1
  %96 = and i64 %19, %95
  %97 = getelementptr inbounds nuw i8, ptr %93, i64 %96
  br label %98

98:                                               ; preds = %58, %91
  %99 = phi ptr [ %66, %91 ], [ %60, %58 ]
  %100 = phi ptr [ %97, %91 ], [ %63, %58 ]
  switch i32 %21, label %101 [
    i32 4, label %109
    i32 2, label %114
    i32 1, label %120
  ]

101:                                              ; preds = %98
  %102 = lshr i32 %21, 2
  %103 = icmp eq i32 %102, 0
  br i1 %103, label %222, label %104

104:                                              ; preds = %101
  %105 = getelementptr inbounds nuw i8, ptr %99, i64 768
  %106 = zext nneg i32 %2 to i64
  %107 = getelementptr inbounds nuw i32, ptr %105, i64 %106
  %108 = zext nneg i32 %102 to i64
  br label %126

109:                                              ; preds = %98
  %110 = getelementptr inbounds nuw i8, ptr %99, i64 768
  %111 = zext nneg i32 %2 to i64
  %112 = getelementptr inbounds nuw i32, ptr %110, i64 %111
  %113 = load i32, ptr %112, align 4
  store i32 %113, ptr %100, align 1
  br label %222

114:                                              ; preds = %98
  %115 = getelementptr inbounds nuw i8, ptr %99, i64 768
  %116 = zext nneg i32 %2 to i64
  %117 = getelementptr inbounds nuw i32, ptr %115, i64 %116
  %118 = load i32, ptr %117, align 4
  %119 = trunc i32 %118 to i16
  store i16 %119, ptr %100, align 1
  br label %222

120:                                              ; preds = %98
  %121 = getelementptr inbounds nuw i8, ptr %99, i64 768
  %122 = zext nneg i32 %2 to i64
  %123 = getelementptr inbounds nuw i32, ptr %121, i64 %122
  %124 = load i32, ptr %123, align 4
  %125 = trunc i32 %124 to i8
  store i8 %125, ptr %100, align 1
  br label %222

126:                                              ; preds = %104, %126
  %127 = phi i64 [ 0, %104 ], [ %132, %126 ]
  %128 = shl nuw i64 %127, 2
  %129 = getelementptr inbounds nuw i8, ptr %100, i64 %128
  %130 = getelementptr inbounds nuw [64 x i32], ptr %107, i64 %127
  %131 = load i32, ptr %130, align 4
  store i32 %131, ptr %129, align 1
  %132 = add nuw nsw i64 %127, 1
  %133 = icmp eq i64 %132, %108
  br i1 %133, label %222, label %126, !llvm.loop !43

134:                                              ; preds = %52
  call void @llvm.lifetime.start.p0(ptr nonnull %6) #20
  %135 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %136 = load ptr, ptr %135, align 8
  switch i32 %21, label %137 [
    i32 4, label %145
    i32 2, label %150
    i32 1, label %156
  ]

137:                                              ; preds = %134
  %138 = lshr i32 %21, 2
  %139 = icmp eq i32 %138, 0
  br i1 %139, label %170, label %140

140:                                              ; preds = %137
  %141 = getelementptr inbounds nuw i8, ptr %136, i64 768
  %142 = zext nneg i32 %2 to i64
  %143 = getelementptr inbounds nuw i32, ptr %141, i64 %142
  %144 = zext nneg i32 %138 to i64
  br label %162

145:                                              ; preds = %134
  %146 = getelementptr inbounds nuw i8, ptr %136, i64 768
  %147 = zext nneg i32 %2 to i64
  %148 = getelementptr inbounds nuw i32, ptr %146, i64 %147
  %149 = load i32, ptr %148, align 4
  store i32 %149, ptr %6, align 16
  br label %172

150:                                              ; preds = %134
  %151 = getelementptr inbounds nuw i8, ptr %136, i64 768
  %152 = zext nneg i32 %2 to i64
  %153 = getelementptr inbounds nuw i32, ptr %151, i64 %152
  %154 = load i32, ptr %153, align 4
  %155 = trunc i32 %154 to i16
  store i16 %155, ptr %6, align 16
  br label %172

156:                                              ; preds = %134
  %157 = getelementptr inbounds nuw i8, ptr %136, i64 768
  %158 = zext nneg i32 %2 to i64
  %159 = getelementptr inbounds nuw i32, ptr %157, i64 %158
  %160 = load i32, ptr %159, align 4
  %161 = trunc i32 %160 to i8
  store i8 %161, ptr %6, align 16
  br label %172

162:                                              ; preds = %162, %140
  %163 = phi i64 [ 0, %140 ], [ %168, %162 ]
  %164 = shl nuw i64 %163, 2
  %165 = getelementptr inbounds nuw i8, ptr %6, i64 %164
  %166 = getelementptr inbounds nuw [64 x i32], ptr %143, i64 %163
  %167 = load i32, ptr %166, align 4
  store i32 %167, ptr %165, align 4
  %168 = add nuw nsw i64 %163, 1
  %169 = icmp eq i64 %168, %144
  br i1 %169, label %170, label %162, !llvm.loop !43

170:                                              ; preds = %162, %137
  %171 = icmp eq i32 %21, 0
  br i1 %171, label %221, label %172

172:                                              ; preds = %170, %156, %150, %145
  %173 = getelementptr inbounds nuw i8, ptr %18, i64 16
  %174 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %175 = getelementptr inbounds nuw i8, ptr %18, i64 8
  br label %176

176:                                              ; preds = %217, %172
  %177 = phi i64 [ 0, %172 ], [ %219, %217 ]
  %178 = getelementptr inbounds nuw i8, ptr %6, i64 %177
  %179 = load i8, ptr %178, align 1
  %180 = add nuw nsw i64 %177, %19
  %181 = load i32, ptr %49, align 8
  %182 = icmp eq i32 %181, 0
  br i1 %182, label %183, label %186

183:                                              ; preds = %176
  %184 = load ptr, ptr %175, align 8
  %185 = getelementptr inbounds nuw i8, ptr %184, i64 %180
  br label %217

186:                                              ; preds = %176
  %187 = zext nneg i32 %181 to i64
  %188 = lshr i64 %180, %187
  %189 = load ptr, ptr %173, align 8
  %190 = getelementptr inbounds nuw ptr, ptr %189, i64 %188
  %191 = load ptr, ptr %190, align 8
  %192 = icmp eq ptr %191, null
  br i1 %192, label %193, label %210

193:                                              ; preds = %186, %193
  %194 = load ptr, ptr %10, align 8
  %195 = getelementptr inbounds nuw i8, ptr %194, i64 256
  store i64 %7, ptr %195, align 8
  %196 = load ptr, ptr %10, align 8
  %197 = getelementptr inbounds nuw i8, ptr %196, i64 264
  store i64 %188, ptr %197, align 8
  %198 = load ptr, ptr %10, align 8
  %199 = getelementptr inbounds nuw i8, ptr %198, i64 248
  store i32 5, ptr %199, align 8
  %200 = load ptr, ptr %10, align 8
  %201 = getelementptr inbounds nuw i8, ptr %200, i64 232
  %202 = load ptr, ptr %201, align 8
  tail call void @kk3_switch(ptr noundef nonnull %174, ptr noundef %202) #19
  %203 = load ptr, ptr %173, align 8
  %204 = getelementptr inbounds nuw ptr, ptr %203, i64 %188
  %205 = load ptr, ptr %204, align 8
  %206 = icmp eq ptr %205, null
  br i1 %206, label %193, label %207, !llvm.loop !12

207:                                              ; preds = %193
  %208 = load i32, ptr %49, align 8
  %209 = zext nneg i32 %208 to i64
  br label %210

210:                                              ; preds = %207, %186
  %211 = phi i64 [ %209, %207 ], [ %187, %186 ]
  %212 = phi ptr [ %205, %207 ], [ %191, %186 ]
  %213 = shl nsw i64 -1, %211
  %214 = xor i64 %213, -1
  %215 = and i64 %180, %214
  %216 = getelementptr inbounds nuw i8, ptr %212, i64 %215
  br label %217

217:                                              ; preds = %210, %183
  %218 = phi ptr [ %216, %210 ], [ %185, %183 ]
  store i8 %179, ptr %218, align 1
  %219 = add nuw nsw i64 %177, 1
  %220 = icmp eq i64 %219, %24
  br i1 %220, label %221, label %176, !llvm.loop !44

221:                                              ; preds = %217, %170
  call void @llvm.lifetime.end.p0(ptr nonnull %6) #20
  br label %222

222:                                              ; preds = %126, %101, %120, %114, %109, %221
  %223 = getelementptr inbounds nuw i8, ptr %18, i64 36
  %224 = load i32, ptr %223, align 4
  %225 = icmp eq i32 %224, 0
  br i1 %225, label %249, label %226

226:                                              ; preds = %222
  %227 = getelementptr inbounds nuw i8, ptr %18, i64 40
  %228 = load ptr, ptr %227, align 8
  %229 = icmp eq ptr %228, null
  br i1 %229, label %230, label %235

230:                                              ; preds = %226
  %231 = load i64, ptr %18, align 8
  %232 = lshr i64 %231, 3
  %233 = add nuw nsw i64 %232, 1
  %234 = tail call ptr @calloc(i64 noundef %233, i64 noundef 1) #19
  store ptr %234, ptr %227, align 8
  br label %235

235:                                              ; preds = %230, %226
  %236 = icmp eq i32 %21, 0
  br i1 %236, label %249, label %237

237:                                              ; preds = %235, %237
  %238 = phi i64 [ %247, %237 ], [ %19, %235 ]
  %239 = trunc i64 %238 to i8
  %240 = and i8 %239, 7
  %241 = shl nuw i8 1, %240
  %242 = load ptr, ptr %227, align 8
  %243 = lshr i64 %238, 3
  %244 = getelementptr inbounds nuw i8, ptr %242, i64 %243
  %245 = load i8, ptr %244, align 1
  %246 = or i8 %241, %245
  store i8 %246, ptr %244, align 1
  %247 = add nuw nsw i64 %238, 1
  %248 = icmp samesign ult i64 %247, %25
  br i1 %248, label %237, label %249, !llvm.loop !45

249:                                              ; preds = %237, %235, %222
  %250 = load ptr, ptr %10, align 8
  %251 = getelementptr inbounds nuw i8, ptr %250, i64 168
  %252 = load i64, ptr %251, align 8
  %253 = add i64 %252, 1
  store i64 %253, ptr %251, align 8
  %254 = getelementptr inbounds nuw i8, ptr %250, i64 296
  %255 = load ptr, ptr %254, align 8
  %256 = lshr i64 %1, 9
  %257 = lshr i64 %1, 22
  %258 = xor i64 %256, %257
  %259 = xor i64 %258, %7
  %260 = and i64 %259, 8191
  %261 = getelementptr inbounds nuw i64, ptr %255, i64 %260
  store i64 %253, ptr %261, align 8
  %262 = load ptr, ptr %254, align 8
  %263 = add i64 %1, -1
  %264 = add i64 %263, %24
  %265 = lshr i64 %264, 9
  %266 = lshr i64 %264, 22
  %267 = xor i64 %265, %266
  %268 = lshr i64 %264, 36
  %269 = xor i64 %267, %268
  %270 = and i64 %269, 8191
  %271 = getelementptr inbounds nuw i64, ptr %262, i64 %270
  store i64 %253, ptr %271, align 8
  %272 = getelementptr inbounds nuw i8, ptr %3, i64 12
  %273 = load i32, ptr %272, align 4
  %274 = and i32 %273, 16
  %275 = icmp ne i32 %274, 0
  %276 = icmp ne i32 %21, 0
  %277 = and i1 %275, %276
  br i1 %277, label %278, label %316

278:                                              ; preds = %249
  %279 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %280 = getelementptr inbounds nuw i8, ptr %18, i64 56
  br label %281

281:                                              ; preds = %278, %309
  %282 = phi i32 [ 0, %278 ], [ %314, %309 ]
  %283 = load ptr, ptr %279, align 8
  %284 = getelementptr inbounds nuw i8, ptr %283, i64 36
  %285 = load i32, ptr %284, align 4
  %286 = trunc i32 %285 to i16
  %287 = add i16 %286, 1
  %288 = zext i32 %282 to i64
  %289 = add nuw nsw i64 %19, %288
  %290 = load ptr, ptr %280, align 8
  %291 = icmp eq ptr %290, null
  br i1 %291, label %292, label %301

292:                                              ; preds = %281
  %293 = load i64, ptr %18, align 8
  %294 = lshr i64 %293, 16
  %295 = add nuw nsw i64 %294, 1
  %296 = tail call ptr @calloc(i64 noundef %295, i64 noundef 8) #19
  store ptr %296, ptr %280, align 8
  %297 = lshr i64 %289, 16
  %298 = getelementptr inbounds nuw ptr, ptr %296, i64 %297
  %299 = load ptr, ptr %298, align 8
  %300 = icmp eq ptr %299, null
  br i1 %300, label %306, label %309

301:                                              ; preds = %281
  %302 = lshr i64 %289, 16
  %303 = getelementptr inbounds nuw ptr, ptr %290, i64 %302
  %304 = load ptr, ptr %303, align 8
  %305 = icmp eq ptr %304, null
  br i1 %305, label %306, label %309

306:                                              ; preds = %301, %292
  %307 = phi ptr [ %298, %292 ], [ %303, %301 ]
  %308 = tail call ptr @calloc(i64 noundef 8192, i64 noundef 2) #19
  store ptr %308, ptr %307, align 8
  br label %309

309:                                              ; preds = %301, %292, %306
  %310 = phi ptr [ %299, %292 ], [ %308, %306 ], [ %304, %301 ]
  %311 = lshr i64 %289, 3
  %312 = and i64 %311, 8191
  %313 = getelementptr inbounds nuw i16, ptr %310, i64 %312
  store i16 %287, ptr %313, align 2
  %314 = add i32 %282, 8
  %315 = icmp ult i32 %314, %21
  br i1 %315, label %281, label %316, !llvm.loop !46

316:                                              ; preds = %309, %249
  ret void
}

define void @kk3_buf_st_u(ptr noundef %0, i64 noundef %1, i64 noundef %2, i32 noundef %3, i64 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %8 = load ptr, ptr %7, align 8
  %9 = zext i32 %5 to i64
  %10 = getelementptr inbounds nuw %struct.Site, ptr %8, i64 %9
  %11 = icmp eq i64 %4, 0
  br i1 %11, label %49, label %12

12:                                               ; preds = %6
  %13 = zext i32 %3 to i64
  %14 = getelementptr inbounds nuw i8, ptr %10, i64 4
  %15 = load i32, ptr %14, align 4
  %16 = zext i32 %15 to i64
  %17 = add nuw nsw i64 %16, %13
  %18 = icmp ugt i64 %17, %2
  br i1 %18, label %49, label %19

19:                                               ; preds = %12
  %20 = add i64 %1, %13
  tail call fastcc void @store_lane(ptr noundef nonnull %0, i64 noundef %20, i32 noundef 0, ptr noundef nonnull %10, i32 noundef %5) #18
  %21 = getelementptr inbounds nuw i8, ptr %10, i64 12
  %22 = load i32, ptr %21, align 4
  %23 = and i32 %22, 16
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %28, label %25

25:                                               ; preds = %19
  %26 = and i32 %22, 1
  %27 = or disjoint i32 %26, 2
  br label %34

28:                                               ; preds = %19
  %29 = and i32 %22, 2
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %31, label %34

31:                                               ; preds = %28
  %32 = shl i32 %22, 1
  %33 = and i32 %32, 2
  br label %34

34:                                               ; preds = %25, %28, %31
  %35 = phi i32 [ %27, %25 ], [ %33, %31 ], [ 1, %28 ]
  %36 = add nuw nsw i32 %35, 5
  %37 = load i32, ptr %14, align 4
  %38 = zext i32 %37 to i64
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %40 = load ptr, ptr %39, align 8
  %41 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %42 = load i32, ptr %41, align 4
  %43 = mul i32 %42, 17
  %44 = add i32 %36, %43
  %45 = zext i32 %44 to i64
  %46 = getelementptr inbounds nuw i64, ptr %40, i64 %45
  %47 = load i64, ptr %46, align 8
  %48 = add i64 %47, %38
  store i64 %48, ptr %46, align 8
  br label %49

49:                                               ; preds = %6, %12, %34
  ret void
}

define void @kk3_ptr_ld(ptr noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %5 = load ptr, ptr %4, align 8
  %6 = zext i32 %2 to i64
  %7 = getelementptr inbounds nuw %struct.Site, ptr %5, i64 %6
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %9 = load ptr, ptr %8, align 8
  %10 = icmp eq i64 %1, -1
  br i1 %10, label %11, label %58

11:                                               ; preds = %3
  %12 = getelementptr inbounds nuw i8, ptr %9, i64 256
  %13 = load i64, ptr %12, align 8
  br label %14

14:                                               ; preds = %11, %14
  %15 = phi i64 [ 0, %11 ], [ %20, %14 ]
  %16 = phi i64 [ %13, %11 ], [ %19, %14 ]
  %17 = getelementptr inbounds nuw i64, ptr %12, i64 %15
  %18 = load i64, ptr %17, align 8
  %19 = tail call i64 @llvm.umin.i64(i64 %18, i64 %16)
  %20 = add nuw nsw i64 %15, 1
  %21 = icmp eq i64 %20, 64
  br i1 %21, label %24, label %14, !llvm.loop !47

22:                                               ; preds = %24
  %23 = icmp ult i64 %30, 2147483648
  br i1 %23, label %35, label %60

24:                                               ; preds = %14, %24
  %25 = phi i64 [ %33, %24 ], [ 0, %14 ]
  %26 = phi i64 [ %30, %24 ], [ 0, %14 ]
  %27 = getelementptr inbounds nuw i64, ptr %12, i64 %25
  %28 = load i64, ptr %27, align 8
  %29 = sub i64 %28, %19
  %30 = or i64 %29, %26
  %31 = trunc i64 %29 to i32
  %32 = getelementptr inbounds nuw i32, ptr %9, i64 %25
  store i32 %31, ptr %32, align 4
  %33 = add nuw nsw i64 %25, 1
  %34 = icmp eq i64 %33, 64
  br i1 %34, label %22, label %24, !llvm.loop !48

35:                                               ; preds = %22
  %36 = tail call fastcc i32 @bulk_load(ptr noundef nonnull %0, i64 noundef %19, i64 noundef 1099511627776, ptr noundef %7) #18
  %37 = icmp eq i32 %36, 0
  br i1 %37, label %60, label %38

38:                                               ; preds = %35
  %39 = getelementptr inbounds nuw i8, ptr %7, i64 12
  %40 = load i32, ptr %39, align 4
  %41 = and i32 %40, 16
  %42 = icmp eq i32 %41, 0
  br i1 %42, label %46, label %43

43:                                               ; preds = %38
  %44 = and i32 %40, 1
  %45 = or disjoint i32 %44, 2
  br label %52

46:                                               ; preds = %38
  %47 = and i32 %40, 2
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %49, label %52

49:                                               ; preds = %46
  %50 = shl i32 %40, 1
  %51 = and i32 %50, 2
  br label %52

52:                                               ; preds = %43, %46, %49
  %53 = phi i32 [ %45, %43 ], [ %51, %49 ], [ 1, %46 ]
  %54 = getelementptr inbounds nuw i8, ptr %7, i64 4
  %55 = load i32, ptr %54, align 4
  %56 = zext i32 %55 to i64
  %57 = shl nuw nsw i64 %56, 6
  br label %121

58:                                               ; preds = %3
  %59 = icmp eq i64 %1, 0
  br i1 %59, label %72, label %60

60:                                               ; preds = %22, %35, %58
  %61 = getelementptr inbounds nuw i8, ptr %9, i64 256
  br label %63

62:                                               ; preds = %63
  br i1 %10, label %100, label %72

63:                                               ; preds = %60, %63
  %64 = phi i64 [ %1, %60 ], [ %70, %63 ]
  %65 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %64, i1 true)
  %66 = trunc nuw nsw i64 %65 to i32
  %67 = getelementptr inbounds nuw i64, ptr %61, i64 %65
  %68 = load i64, ptr %67, align 8
  tail call fastcc void @load_lane(ptr noundef nonnull %0, i64 noundef %68, i32 noundef %66, ptr noundef %7, i32 noundef %2) #18
  %69 = add i64 %64, -1
  %70 = and i64 %69, %64
  %71 = icmp eq i64 %70, 0
  br i1 %71, label %62, label %63, !llvm.loop !49

72:                                               ; preds = %58, %62
  %73 = getelementptr inbounds nuw i8, ptr %7, i64 4
  %74 = load i32, ptr %73, align 4
  %75 = add i32 %74, 3
  %76 = lshr i32 %75, 2
  %77 = icmp eq i32 %76, 0
  br i1 %77, label %100, label %78

78:                                               ; preds = %72
  %79 = getelementptr inbounds nuw i8, ptr %9, i64 768
  %80 = zext nneg i32 %76 to i64
  br label %81

81:                                               ; preds = %84, %78
  %82 = phi i64 [ 0, %78 ], [ %85, %84 ]
  %83 = getelementptr inbounds nuw [64 x i32], ptr %79, i64 %82
  br label %87

84:                                               ; preds = %95
  %85 = add nuw nsw i64 %82, 1
  %86 = icmp eq i64 %85, %80
  br i1 %86, label %100, label %81, !llvm.loop !9

87:                                               ; preds = %95, %81
  %88 = phi i64 [ 0, %81 ], [ %98, %95 ]
  %89 = shl nuw i64 1, %88
  %90 = and i64 %89, %1
  %91 = icmp eq i64 %90, 0
  br i1 %91, label %95, label %92

92:                                               ; preds = %87
  %93 = getelementptr inbounds nuw i32, ptr %83, i64 %88
  %94 = load i32, ptr %93, align 4
  br label %95

95:                                               ; preds = %92, %87
  %96 = phi i32 [ %94, %92 ], [ 0, %87 ]
  %97 = getelementptr inbounds nuw i32, ptr %83, i64 %88
  store i32 %96, ptr %97, align 4
  %98 = add nuw nsw i64 %88, 1
  %99 = icmp eq i64 %98, 64
  br i1 %99, label %84, label %87, !llvm.loop !10

100:                                              ; preds = %84, %72, %62
  %101 = getelementptr inbounds nuw i8, ptr %7, i64 12
  %102 = load i32, ptr %101, align 4
  %103 = and i32 %102, 16
  %104 = icmp eq i32 %103, 0
  br i1 %104, label %108, label %105

105:                                              ; preds = %100
  %106 = and i32 %102, 1
  %107 = or disjoint i32 %106, 2
  br label %114

108:                                              ; preds = %100
  %109 = and i32 %102, 2
  %110 = icmp eq i32 %109, 0
  br i1 %110, label %111, label %114

111:                                              ; preds = %108
  %112 = shl i32 %102, 1
  %113 = and i32 %112, 2
  br label %114

114:                                              ; preds = %105, %108, %111
  %115 = phi i32 [ %107, %105 ], [ %113, %111 ], [ 1, %108 ]
  %116 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %1)
  %117 = getelementptr inbounds nuw i8, ptr %7, i64 4
  %118 = load i32, ptr %117, align 4
  %119 = zext i32 %118 to i64
  %120 = mul nuw nsw i64 %116, %119
  br label %121

121:                                              ; preds = %52, %114
  %122 = phi i32 [ %53, %52 ], [ %115, %114 ]
  %123 = phi i64 [ %57, %52 ], [ %120, %114 ]
  %124 = add nuw nsw i32 %122, 1
  %125 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %126 = load ptr, ptr %125, align 8
  %127 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %128 = load i32, ptr %127, align 4
  %129 = mul i32 %128, 17
  %130 = add i32 %124, %129
  %131 = zext i32 %130 to i64
  %132 = getelementptr inbounds nuw i64, ptr %126, i64 %131
  %133 = load i64, ptr %132, align 8
  %134 = add i64 %133, %123
  store i64 %134, ptr %132, align 8
  ret void
}

define void @kk3_ptr_ld_u(ptr noundef %0, i64 noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %6 = load ptr, ptr %5, align 8
  %7 = zext i32 %3 to i64
  %8 = getelementptr inbounds nuw %struct.Site, ptr %6, i64 %7
  %9 = icmp eq i64 %2, 0
  br i1 %9, label %10, label %28

10:                                               ; preds = %4
  %11 = getelementptr inbounds nuw i8, ptr %8, i64 4
  %12 = load i32, ptr %11, align 4
  %13 = add i32 %12, 3
  %14 = icmp ult i32 %13, 4
  br i1 %14, label %58, label %15

15:                                               ; preds = %10
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 16
  br label %17

17:                                               ; preds = %15, %17
  %18 = phi i64 [ 0, %15 ], [ %22, %17 ]
  %19 = load ptr, ptr %16, align 8
  %20 = getelementptr inbounds nuw i8, ptr %19, i64 768
  %21 = getelementptr inbounds nuw [64 x i32], ptr %20, i64 %18
  store i32 0, ptr %21, align 8
  %22 = add nuw nsw i64 %18, 1
  %23 = load i32, ptr %11, align 4
  %24 = add i32 %23, 3
  %25 = lshr i32 %24, 2
  %26 = zext nneg i32 %25 to i64
  %27 = icmp samesign ult i64 %22, %26
  br i1 %27, label %17, label %58, !llvm.loop !50

28:                                               ; preds = %4
  tail call fastcc void @load_lane(ptr noundef nonnull %0, i64 noundef %1, i32 noundef 0, ptr noundef %8, i32 noundef %3) #18
  %29 = getelementptr inbounds nuw i8, ptr %8, i64 12
  %30 = load i32, ptr %29, align 4
  %31 = and i32 %30, 16
  %32 = icmp eq i32 %31, 0
  br i1 %32, label %36, label %33

33:                                               ; preds = %28
  %34 = and i32 %30, 1
  %35 = or disjoint i32 %34, 2
  br label %42

36:                                               ; preds = %28
  %37 = and i32 %30, 2
  %38 = icmp eq i32 %37, 0
  br i1 %38, label %39, label %42

39:                                               ; preds = %36
  %40 = shl i32 %30, 1
  %41 = and i32 %40, 2
  br label %42

42:                                               ; preds = %33, %36, %39
  %43 = phi i32 [ %35, %33 ], [ %41, %39 ], [ 1, %36 ]
  %44 = add nuw nsw i32 %43, 1
  %45 = getelementptr inbounds nuw i8, ptr %8, i64 4
  %46 = load i32, ptr %45, align 4
  %47 = zext i32 %46 to i64
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %49 = load ptr, ptr %48, align 8
  %50 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %51 = load i32, ptr %50, align 4
  %52 = mul i32 %51, 17
  %53 = add i32 %44, %52
  %54 = zext i32 %53 to i64
  %55 = getelementptr inbounds nuw i64, ptr %49, i64 %54
  %56 = load i64, ptr %55, align 8
  %57 = add i64 %56, %47
  store i64 %57, ptr %55, align 8
  br label %58

58:                                               ; preds = %17, %10, %42
  ret void
}

define void @kk3_ptr_st(ptr noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %5 = load ptr, ptr %4, align 8
  %6 = zext i32 %2 to i64
  %7 = getelementptr inbounds nuw %struct.Site, ptr %5, i64 %6
  %8 = icmp eq i64 %1, 0
  br i1 %8, label %11, label %9

9:                                                ; preds = %3
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 16
  br label %43

11:                                               ; preds = %43, %3
  %12 = getelementptr inbounds nuw i8, ptr %7, i64 12
  %13 = load i32, ptr %12, align 4
  %14 = and i32 %13, 16
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %19, label %16

16:                                               ; preds = %11
  %17 = and i32 %13, 1
  %18 = or disjoint i32 %17, 2
  br label %25

19:                                               ; preds = %11
  %20 = and i32 %13, 2
  %21 = icmp eq i32 %20, 0
  br i1 %21, label %22, label %25

22:                                               ; preds = %19
  %23 = shl i32 %13, 1
  %24 = and i32 %23, 2
  br label %25

25:                                               ; preds = %16, %19, %22
  %26 = phi i32 [ %18, %16 ], [ %24, %22 ], [ 1, %19 ]
  %27 = add nuw nsw i32 %26, 5
  %28 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %1)
  %29 = getelementptr inbounds nuw i8, ptr %7, i64 4
  %30 = load i32, ptr %29, align 4
  %31 = zext i32 %30 to i64
  %32 = mul nuw nsw i64 %28, %31
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %34 = load ptr, ptr %33, align 8
  %35 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %36 = load i32, ptr %35, align 4
  %37 = mul i32 %36, 17
  %38 = add i32 %27, %37
  %39 = zext i32 %38 to i64
  %40 = getelementptr inbounds nuw i64, ptr %34, i64 %39
  %41 = load i64, ptr %40, align 8
  %42 = add i64 %41, %32
  store i64 %42, ptr %40, align 8
  ret void

43:                                               ; preds = %9, %43
  %44 = phi i64 [ %1, %9 ], [ %52, %43 ]
  %45 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %44, i1 true)
  %46 = trunc nuw nsw i64 %45 to i32
  %47 = load ptr, ptr %10, align 8
  %48 = getelementptr inbounds nuw i8, ptr %47, i64 256
  %49 = getelementptr inbounds nuw i64, ptr %48, i64 %45
  %50 = load i64, ptr %49, align 8
  tail call fastcc void @store_lane(ptr noundef nonnull %0, i64 noundef %50, i32 noundef %46, ptr noundef %7, i32 noundef %2) #18
  %51 = add i64 %44, -1
  %52 = and i64 %51, %44
  %53 = icmp eq i64 %52, 0
  br i1 %53, label %11, label %43, !llvm.loop !51
}

define void @kk3_ptr_st_u(ptr noundef %0, i64 noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = icmp eq i64 %2, 0
  br i1 %5, label %40, label %6

6:                                                ; preds = %4
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %8 = load ptr, ptr %7, align 8
  %9 = zext i32 %3 to i64
  %10 = getelementptr inbounds nuw %struct.Site, ptr %8, i64 %9
  tail call fastcc void @store_lane(ptr noundef %0, i64 noundef %1, i32 noundef 0, ptr noundef %10, i32 noundef %3) #18
  %11 = getelementptr inbounds nuw i8, ptr %10, i64 12
  %12 = load i32, ptr %11, align 4
  %13 = and i32 %12, 16
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %18, label %15

15:                                               ; preds = %6
  %16 = and i32 %12, 1
  %17 = or disjoint i32 %16, 2
  br label %24

18:                                               ; preds = %6
  %19 = and i32 %12, 2
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %21, label %24

21:                                               ; preds = %18
  %22 = shl i32 %12, 1
  %23 = and i32 %22, 2
  br label %24

24:                                               ; preds = %15, %18, %21
  %25 = phi i32 [ %17, %15 ], [ %23, %21 ], [ 1, %18 ]
  %26 = add nuw nsw i32 %25, 5
  %27 = getelementptr inbounds nuw i8, ptr %10, i64 4
  %28 = load i32, ptr %27, align 4
  %29 = zext i32 %28 to i64
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %31 = load ptr, ptr %30, align 8
  %32 = getelementptr inbounds nuw i8, ptr %10, i64 16
  %33 = load i32, ptr %32, align 4
  %34 = mul i32 %33, 17
  %35 = add i32 %26, %34
  %36 = zext i32 %35 to i64
  %37 = getelementptr inbounds nuw i64, ptr %31, i64 %36
  %38 = load i64, ptr %37, align 8
  %39 = add i64 %38, %29
  store i64 %39, ptr %37, align 8
  br label %40

40:                                               ; preds = %4, %24
  ret void
}

define void @kk3_lds_ld(ptr noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %5 = load ptr, ptr %4, align 8
  %6 = zext i32 %2 to i64
  %7 = getelementptr inbounds nuw %struct.Site, ptr %5, i64 %6
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %7, i64 4
  %11 = load i32, ptr %10, align 4
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 88
  %15 = load ptr, ptr %14, align 8
  %16 = load ptr, ptr %13, align 8
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 56
  %18 = load i32, ptr %17, align 8
  %19 = sub i32 %18, %11
  %20 = icmp ult i32 %18, %11
  br i1 %20, label %43, label %21

21:                                               ; preds = %3
  %22 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %23 = load i32, ptr %22, align 4
  %24 = add i32 %23, -1
  br label %25

25:                                               ; preds = %21, %25
  %26 = phi i64 [ 0, %21 ], [ %39, %25 ]
  %27 = phi i32 [ 0, %21 ], [ %38, %25 ]
  %28 = getelementptr inbounds nuw i32, ptr %9, i64 %26
  %29 = load i32, ptr %28, align 4
  %30 = lshr i64 %1, %26
  %31 = trunc i64 %30 to i32
  %32 = icmp ugt i32 %29, %19
  %33 = and i32 %24, %29
  %34 = icmp ne i32 %33, 0
  %35 = or i1 %32, %34
  %36 = and i32 %31, 1
  %37 = select i1 %35, i32 %36, i32 0
  %38 = or i32 %37, %27
  %39 = add nuw nsw i64 %26, 1
  %40 = icmp eq i64 %39, 64
  br i1 %40, label %41, label %25, !llvm.loop !52

41:                                               ; preds = %25
  %42 = icmp eq i32 %38, 0
  br i1 %42, label %45, label %43

43:                                               ; preds = %3, %41
  tail call fastcc void @lds_bad(ptr noundef nonnull %0, i64 noundef %1, ptr noundef nonnull %7, i32 noundef %2) #18
  %44 = load ptr, ptr %12, align 8
  br label %45

45:                                               ; preds = %43, %41
  %46 = phi ptr [ %44, %43 ], [ %13, %41 ]
  %47 = getelementptr inbounds nuw i8, ptr %46, i64 96
  %48 = load ptr, ptr %47, align 8
  switch i64 %1, label %49 [
    i64 -1, label %54
    i64 0, label %275
  ]

49:                                               ; preds = %45
  %50 = getelementptr inbounds nuw i8, ptr %9, i64 768
  %51 = lshr i32 %11, 2
  %52 = icmp eq i32 %51, 0
  %53 = zext nneg i32 %51 to i64
  br label %301

54:                                               ; preds = %45
  switch i32 %11, label %61 [
    i32 4, label %59
    i32 16, label %57
    i32 8, label %55
  ]

55:                                               ; preds = %54
  %56 = getelementptr inbounds nuw i8, ptr %9, i64 768
  br label %231

57:                                               ; preds = %54
  %58 = load i32, ptr %9, align 4
  br label %130

59:                                               ; preds = %54
  %60 = load i32, ptr %9, align 4
  br label %66

61:                                               ; preds = %54
  %62 = getelementptr inbounds nuw i8, ptr %9, i64 768
  %63 = lshr i32 %11, 2
  %64 = icmp eq i32 %63, 0
  %65 = zext nneg i32 %63 to i64
  br label %244

66:                                               ; preds = %59, %66
  %67 = phi i64 [ 0, %59 ], [ %76, %66 ]
  %68 = phi i32 [ 0, %59 ], [ %75, %66 ]
  %69 = getelementptr inbounds nuw i32, ptr %9, i64 %67
  %70 = load i32, ptr %69, align 4
  %71 = trunc i64 %67 to i32
  %72 = shl i32 %71, 2
  %73 = add i32 %60, %72
  %74 = xor i32 %73, %70
  %75 = or i32 %74, %68
  %76 = add nuw nsw i64 %67, 1
  %77 = icmp eq i64 %76, 64
  br i1 %77, label %78, label %66, !llvm.loop !13

78:                                               ; preds = %66
  %79 = icmp eq i32 %75, 0
  %80 = getelementptr inbounds nuw i8, ptr %9, i64 768
  br i1 %79, label %81, label %106

81:                                               ; preds = %78
  %82 = zext i32 %60 to i64
  %83 = getelementptr inbounds nuw i8, ptr %15, i64 %82
  tail call void @llvm.experimental.noalias.scope.decl(metadata !53)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !56)
  br label %88

84:                                               ; preds = %88
  %85 = lshr i32 %60, 2
  %86 = zext nneg i32 %85 to i64
  %87 = getelementptr inbounds nuw i8, ptr %48, i64 %86
  br label %96

88:                                               ; preds = %81, %88
  %89 = phi i64 [ 0, %81 ], [ %94, %88 ]
  %90 = getelementptr inbounds nuw i32, ptr %80, i64 %89
  %91 = shl nuw nsw i64 %89, 2
  %92 = getelementptr inbounds nuw i8, ptr %83, i64 %91
  %93 = load i32, ptr %92, align 1, !alias.scope !56, !noalias !53
  store i32 %93, ptr %90, align 4, !alias.scope !53, !noalias !56
  %94 = add nuw nsw i64 %89, 1
  %95 = icmp eq i64 %94, 64
  br i1 %95, label %84, label %88, !llvm.loop !19

96:                                               ; preds = %84, %96
  %97 = phi i64 [ 0, %84 ], [ %104, %96 ]
  %98 = phi i32 [ 0, %84 ], [ %103, %96 ]
  %99 = getelementptr inbounds nuw i8, ptr %87, i64 %97
  %100 = load i8, ptr %99, align 1
  %101 = xor i8 %100, 15
  %102 = zext i8 %101 to i32
  %103 = or i32 %98, %102
  %104 = add nuw nsw i64 %97, 1
  %105 = icmp eq i64 %104, 64
  br i1 %105, label %334, label %96, !llvm.loop !58

106:                                              ; preds = %78, %106
  %107 = phi i64 [ %114, %106 ], [ 0, %78 ]
  %108 = getelementptr inbounds nuw i32, ptr %9, i64 %107
  %109 = load i32, ptr %108, align 4
  %110 = zext i32 %109 to i64
  %111 = getelementptr inbounds nuw i8, ptr %15, i64 %110
  %112 = load i32, ptr %111, align 1
  %113 = getelementptr inbounds nuw i32, ptr %80, i64 %107
  store i32 %112, ptr %113, align 4
  %114 = add nuw nsw i64 %107, 1
  %115 = icmp eq i64 %114, 64
  br i1 %115, label %116, label %106, !llvm.loop !59

116:                                              ; preds = %106, %116
  %117 = phi i64 [ %128, %116 ], [ 0, %106 ]
  %118 = phi i32 [ %127, %116 ], [ 0, %106 ]
  %119 = getelementptr inbounds nuw i32, ptr %9, i64 %117
  %120 = load i32, ptr %119, align 4
  %121 = lshr i32 %120, 2
  %122 = zext nneg i32 %121 to i64
  %123 = getelementptr inbounds nuw i8, ptr %48, i64 %122
  %124 = load i8, ptr %123, align 1
  %125 = xor i8 %124, 15
  %126 = zext i8 %125 to i32
  %127 = or i32 %118, %126
  %128 = add nuw nsw i64 %117, 1
  %129 = icmp eq i64 %128, 64
  br i1 %129, label %334, label %116, !llvm.loop !60

130:                                              ; preds = %57, %130
  %131 = phi i64 [ 0, %57 ], [ %140, %130 ]
  %132 = phi i32 [ 0, %57 ], [ %139, %130 ]
  %133 = getelementptr inbounds nuw i32, ptr %9, i64 %131
  %134 = load i32, ptr %133, align 4
  %135 = trunc i64 %131 to i32
  %136 = shl i32 %135, 4
  %137 = add i32 %58, %136
  %138 = xor i32 %137, %134
  %139 = or i32 %138, %132
  %140 = add nuw nsw i64 %131, 1
  %141 = icmp eq i64 %140, 64
  br i1 %141, label %142, label %130, !llvm.loop !13

142:                                              ; preds = %130
  %143 = icmp eq i32 %139, 0
  %144 = getelementptr inbounds nuw i8, ptr %9, i64 768
  br i1 %143, label %149, label %145

145:                                              ; preds = %142
  %146 = getelementptr inbounds nuw i8, ptr %9, i64 1024
  %147 = getelementptr inbounds nuw i8, ptr %9, i64 1280
  %148 = getelementptr inbounds nuw i8, ptr %9, i64 1536
  br label %182

149:                                              ; preds = %142
  %150 = zext i32 %58 to i64
  %151 = getelementptr inbounds nuw i8, ptr %15, i64 %150
  tail call void @llvm.experimental.noalias.scope.decl(metadata !61)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !64)
  br label %152

152:                                              ; preds = %149, %161
  %153 = phi i64 [ 0, %149 ], [ %162, %161 ]
  %154 = getelementptr inbounds nuw [64 x i32], ptr %144, i64 %153
  %155 = shl nuw nsw i64 %153, 2
  %156 = getelementptr inbounds nuw i8, ptr %151, i64 %155
  br label %164

157:                                              ; preds = %161
  %158 = lshr i32 %58, 2
  %159 = zext nneg i32 %158 to i64
  %160 = getelementptr inbounds nuw i8, ptr %48, i64 %159
  br label %172

161:                                              ; preds = %164
  %162 = add nuw nsw i64 %153, 1
  %163 = icmp eq i64 %162, 4
  br i1 %163, label %157, label %152, !llvm.loop !25

164:                                              ; preds = %152, %164
  %165 = phi i64 [ 0, %152 ], [ %170, %164 ]
  %166 = getelementptr inbounds nuw i32, ptr %154, i64 %165
  %167 = shl nuw nsw i64 %165, 4
  %168 = getelementptr inbounds nuw i8, ptr %156, i64 %167
  %169 = load i32, ptr %168, align 1, !alias.scope !64, !noalias !61
  store i32 %169, ptr %166, align 4, !alias.scope !61, !noalias !64
  %170 = add nuw nsw i64 %165, 1
  %171 = icmp eq i64 %170, 64
  br i1 %171, label %161, label %164, !llvm.loop !19

172:                                              ; preds = %157, %172
  %173 = phi i64 [ 0, %157 ], [ %180, %172 ]
  %174 = phi i32 [ 0, %157 ], [ %179, %172 ]
  %175 = getelementptr inbounds nuw i8, ptr %160, i64 %173
  %176 = load i8, ptr %175, align 1
  %177 = xor i8 %176, 15
  %178 = zext i8 %177 to i32
  %179 = or i32 %174, %178
  %180 = add nuw nsw i64 %173, 1
  %181 = icmp eq i64 %180, 256
  br i1 %181, label %334, label %172, !llvm.loop !66

182:                                              ; preds = %145, %182
  %183 = phi i64 [ 0, %145 ], [ %216, %182 ]
  %184 = getelementptr inbounds nuw i32, ptr %9, i64 %183
  %185 = load i32, ptr %184, align 4
  %186 = zext i32 %185 to i64
  %187 = getelementptr inbounds nuw i8, ptr %15, i64 %186
  %188 = load <4 x i32>, ptr %187, align 4
  %189 = getelementptr inbounds nuw i8, ptr %184, i64 4
  %190 = load i32, ptr %189, align 4
  %191 = zext i32 %190 to i64
  %192 = getelementptr inbounds nuw i8, ptr %15, i64 %191
  %193 = load <4 x i32>, ptr %192, align 4
  %194 = getelementptr inbounds nuw i8, ptr %184, i64 8
  %195 = load i32, ptr %194, align 4
  %196 = zext i32 %195 to i64
  %197 = getelementptr inbounds nuw i8, ptr %15, i64 %196
  %198 = load <4 x i32>, ptr %197, align 4
  %199 = getelementptr inbounds nuw i8, ptr %184, i64 12
  %200 = load i32, ptr %199, align 4
  %201 = zext i32 %200 to i64
  %202 = getelementptr inbounds nuw i8, ptr %15, i64 %201
  %203 = load <4 x i32>, ptr %202, align 4
  %204 = shufflevector <4 x i32> %188, <4 x i32> %193, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %205 = shufflevector <4 x i32> %198, <4 x i32> %203, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %206 = shufflevector <4 x i32> %188, <4 x i32> %193, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %207 = shufflevector <4 x i32> %198, <4 x i32> %203, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %208 = shufflevector <4 x i32> %204, <4 x i32> %205, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %209 = getelementptr inbounds nuw i32, ptr %144, i64 %183
  store <4 x i32> %208, ptr %209, align 4
  %210 = shufflevector <4 x i32> %204, <4 x i32> %205, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %211 = getelementptr inbounds nuw i32, ptr %146, i64 %183
  store <4 x i32> %210, ptr %211, align 4
  %212 = shufflevector <4 x i32> %206, <4 x i32> %207, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %213 = getelementptr inbounds nuw i32, ptr %147, i64 %183
  store <4 x i32> %212, ptr %213, align 4
  %214 = shufflevector <4 x i32> %206, <4 x i32> %207, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %215 = getelementptr inbounds nuw i32, ptr %148, i64 %183
  store <4 x i32> %214, ptr %215, align 4
  %216 = add nuw nsw i64 %183, 4
  %217 = icmp samesign ult i64 %183, 60
  br i1 %217, label %182, label %218, !llvm.loop !35

218:                                              ; preds = %182, %218
  %219 = phi i64 [ %229, %218 ], [ 0, %182 ]
  %220 = phi i32 [ %228, %218 ], [ 0, %182 ]
  %221 = getelementptr inbounds nuw i32, ptr %9, i64 %219
  %222 = load i32, ptr %221, align 4
  %223 = lshr i32 %222, 2
  %224 = zext nneg i32 %223 to i64
  %225 = getelementptr inbounds nuw i8, ptr %48, i64 %224
  %226 = load i32, ptr %225, align 1
  %227 = xor i32 %226, 252645135
  %228 = or i32 %227, %220
  %229 = add nuw nsw i64 %219, 1
  %230 = icmp eq i64 %229, 64
  br i1 %230, label %334, label %218, !llvm.loop !67

231:                                              ; preds = %55, %231
  %232 = phi i64 [ 0, %55 ], [ %242, %231 ]
  %233 = getelementptr inbounds nuw i32, ptr %9, i64 %232
  %234 = load i32, ptr %233, align 4
  %235 = zext i32 %234 to i64
  %236 = getelementptr inbounds nuw i8, ptr %15, i64 %235
  %237 = getelementptr inbounds nuw i32, ptr %56, i64 %232
  %238 = load i32, ptr %236, align 1
  store i32 %238, ptr %237, align 4
  %239 = getelementptr inbounds nuw i8, ptr %237, i64 256
  %240 = getelementptr inbounds nuw i8, ptr %236, i64 4
  %241 = load i32, ptr %240, align 1
  store i32 %241, ptr %239, align 4
  %242 = add nuw nsw i64 %232, 1
  %243 = icmp eq i64 %242, 64
  br i1 %243, label %337, label %231, !llvm.loop !59

244:                                              ; preds = %61, %272
  %245 = phi i64 [ 0, %61 ], [ %273, %272 ]
  %246 = getelementptr inbounds nuw i32, ptr %9, i64 %245
  %247 = load i32, ptr %246, align 4
  %248 = zext i32 %247 to i64
  %249 = getelementptr inbounds nuw i8, ptr %15, i64 %248
  switch i32 %11, label %250 [
    i32 4, label %253
    i32 2, label %255
    i32 1, label %258
  ]

250:                                              ; preds = %244
  br i1 %64, label %272, label %251

251:                                              ; preds = %250
  %252 = getelementptr inbounds nuw i32, ptr %62, i64 %245
  br label %261

253:                                              ; preds = %244
  %254 = load i32, ptr %249, align 1
  br label %269

255:                                              ; preds = %244
  %256 = load i16, ptr %249, align 1
  %257 = zext i16 %256 to i32
  br label %269

258:                                              ; preds = %244
  %259 = load i8, ptr %249, align 1
  %260 = zext i8 %259 to i32
  br label %269

261:                                              ; preds = %251, %261
  %262 = phi i64 [ 0, %251 ], [ %267, %261 ]
  %263 = getelementptr inbounds nuw [64 x i32], ptr %252, i64 %262
  %264 = shl nuw i64 %262, 2
  %265 = getelementptr inbounds nuw i8, ptr %249, i64 %264
  %266 = load i32, ptr %265, align 1
  store i32 %266, ptr %263, align 4
  %267 = add nuw nsw i64 %262, 1
  %268 = icmp eq i64 %267, %65
  br i1 %268, label %272, label %261, !llvm.loop !31

269:                                              ; preds = %258, %255, %253
  %270 = phi i32 [ %254, %253 ], [ %257, %255 ], [ %260, %258 ]
  %271 = getelementptr inbounds nuw i32, ptr %62, i64 %245
  store i32 %270, ptr %271, align 4
  br label %272

272:                                              ; preds = %261, %269, %250
  %273 = add nuw nsw i64 %245, 1
  %274 = icmp eq i64 %273, 64
  br i1 %274, label %337, label %244, !llvm.loop !59

275:                                              ; preds = %330, %45
  %276 = add i32 %11, 3
  %277 = lshr i32 %276, 2
  %278 = icmp eq i32 %277, 0
  br i1 %278, label %337, label %279

279:                                              ; preds = %275
  %280 = getelementptr inbounds nuw i8, ptr %9, i64 768
  %281 = zext nneg i32 %277 to i64
  br label %282

282:                                              ; preds = %285, %279
  %283 = phi i64 [ 0, %279 ], [ %286, %285 ]
  %284 = getelementptr inbounds nuw [64 x i32], ptr %280, i64 %283
  br label %288

285:                                              ; preds = %296
  %286 = add nuw nsw i64 %283, 1
  %287 = icmp eq i64 %286, %281
  br i1 %287, label %337, label %282, !llvm.loop !9

288:                                              ; preds = %296, %282
  %289 = phi i64 [ 0, %282 ], [ %299, %296 ]
  %290 = shl nuw i64 1, %289
  %291 = and i64 %290, %1
  %292 = icmp eq i64 %291, 0
  br i1 %292, label %296, label %293

293:                                              ; preds = %288
  %294 = getelementptr inbounds nuw i32, ptr %284, i64 %289
  %295 = load i32, ptr %294, align 4
  br label %296

296:                                              ; preds = %293, %288
  %297 = phi i32 [ %295, %293 ], [ 0, %288 ]
  %298 = getelementptr inbounds nuw i32, ptr %284, i64 %289
  store i32 %297, ptr %298, align 4
  %299 = add nuw nsw i64 %289, 1
  %300 = icmp eq i64 %299, 64
  br i1 %300, label %285, label %288, !llvm.loop !10

301:                                              ; preds = %49, %330
  %302 = phi i64 [ %1, %49 ], [ %332, %330 ]
  %303 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %302, i1 true)
  %304 = getelementptr inbounds nuw i32, ptr %9, i64 %303
  %305 = load i32, ptr %304, align 4
  %306 = zext i32 %305 to i64
  %307 = getelementptr inbounds nuw i8, ptr %15, i64 %306
  switch i32 %11, label %308 [
    i32 4, label %311
    i32 2, label %313
    i32 1, label %316
  ]

308:                                              ; preds = %301
  br i1 %52, label %330, label %309

309:                                              ; preds = %308
  %310 = getelementptr inbounds nuw i32, ptr %50, i64 %303
  br label %319

311:                                              ; preds = %301
  %312 = load i32, ptr %307, align 1
  br label %327

313:                                              ; preds = %301
  %314 = load i16, ptr %307, align 1
  %315 = zext i16 %314 to i32
  br label %327

316:                                              ; preds = %301
  %317 = load i8, ptr %307, align 1
  %318 = zext i8 %317 to i32
  br label %327

319:                                              ; preds = %309, %319
  %320 = phi i64 [ 0, %309 ], [ %325, %319 ]
  %321 = getelementptr inbounds nuw [64 x i32], ptr %310, i64 %320
  %322 = shl nuw i64 %320, 2
  %323 = getelementptr inbounds nuw i8, ptr %307, i64 %322
  %324 = load i32, ptr %323, align 1
  store i32 %324, ptr %321, align 4
  %325 = add nuw nsw i64 %320, 1
  %326 = icmp eq i64 %325, %53
  br i1 %326, label %330, label %319, !llvm.loop !31

327:                                              ; preds = %316, %313, %311
  %328 = phi i32 [ %312, %311 ], [ %315, %313 ], [ %318, %316 ]
  %329 = getelementptr inbounds nuw i32, ptr %50, i64 %303
  store i32 %328, ptr %329, align 4
  br label %330

330:                                              ; preds = %319, %327, %308
  %331 = add i64 %302, -1
  %332 = and i64 %331, %302
  %333 = icmp eq i64 %332, 0
  br i1 %333, label %275, label %301, !llvm.loop !68

334:                                              ; preds = %218, %172, %116, %96
  %335 = phi i32 [ %179, %172 ], [ %127, %116 ], [ %103, %96 ], [ %228, %218 ]
  %336 = icmp eq i32 %335, 0
  br i1 %336, label %398, label %337

337:                                              ; preds = %231, %272, %285, %275, %334
  %338 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %339 = load ptr, ptr %338, align 8
  %340 = getelementptr inbounds nuw i8, ptr %339, i64 224
  %341 = load i32, ptr %340, align 8
  %342 = icmp eq i32 %341, 0
  br i1 %342, label %398, label %343

343:                                              ; preds = %337
  %344 = icmp eq i64 %1, 0
  br i1 %344, label %415, label %345

345:                                              ; preds = %343
  %346 = icmp ugt i32 %11, 3
  %347 = shl nsw i32 -1, %11
  %348 = xor i32 %347, -1
  br label %351

349:                                              ; preds = %380
  %350 = icmp eq i64 %385, 0
  br i1 %350, label %398, label %389

351:                                              ; preds = %345, %380
  %352 = phi i64 [ %1, %345 ], [ %387, %380 ]
  %353 = phi i64 [ 0, %345 ], [ %385, %380 ]
  %354 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %352, i1 true)
  %355 = getelementptr inbounds nuw i32, ptr %9, i64 %354
  %356 = load i32, ptr %355, align 4
  br i1 %346, label %357, label %370

357:                                              ; preds = %351, %357
  %358 = phi i32 [ %368, %357 ], [ 0, %351 ]
  %359 = phi i32 [ %367, %357 ], [ 0, %351 ]
  %360 = add i32 %358, %356
  %361 = lshr i32 %360, 2
  %362 = zext nneg i32 %361 to i64
  %363 = getelementptr inbounds nuw i8, ptr %48, i64 %362
  %364 = load i8, ptr %363, align 1
  %365 = xor i8 %364, 15
  %366 = zext i8 %365 to i32
  %367 = or i32 %359, %366
  %368 = add nuw i32 %358, 4
  %369 = icmp ult i32 %368, %11
  br i1 %369, label %357, label %380, !llvm.loop !69

370:                                              ; preds = %351
  %371 = and i32 %356, 3
  %372 = shl nuw nsw i32 %348, %371
  %373 = lshr i32 %356, 2
  %374 = zext nneg i32 %373 to i64
  %375 = getelementptr inbounds nuw i8, ptr %48, i64 %374
  %376 = load i8, ptr %375, align 1
  %377 = zext i8 %376 to i32
  %378 = xor i32 %377, -1
  %379 = and i32 %372, %378
  br label %380

380:                                              ; preds = %357, %370
  %381 = phi i32 [ %379, %370 ], [ %367, %357 ]
  %382 = icmp eq i32 %381, 0
  %383 = shl nuw i64 1, %354
  %384 = select i1 %382, i64 0, i64 %383
  %385 = or i64 %384, %353
  %386 = add i64 %352, -1
  %387 = and i64 %386, %352
  %388 = icmp eq i64 %387, 0
  br i1 %388, label %349, label %351, !llvm.loop !70

389:                                              ; preds = %349
  %390 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %385, i1 true)
  %391 = trunc nuw nsw i64 %390 to i32
  %392 = getelementptr inbounds nuw i32, ptr %9, i64 %390
  %393 = load i32, ptr %392, align 4
  %394 = zext i32 %393 to i64
  %395 = or disjoint i64 %394, 4611686018427387904
  %396 = zext i32 %11 to i64
  %397 = tail call ptr @kk3_find(ptr noundef %339, ptr noundef %0, i32 noundef 4, i32 noundef %2, i64 noundef %395, i32 noundef %391, i64 noundef %396) #18
  br label %398

398:                                              ; preds = %349, %389, %337, %334
  %399 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %400 = load ptr, ptr %399, align 8
  %401 = getelementptr inbounds nuw i8, ptr %400, i64 220
  %402 = load i32, ptr %401, align 4
  %403 = icmp eq i32 %402, 0
  %404 = icmp eq i64 %1, 0
  %405 = or i1 %403, %404
  br i1 %405, label %415, label %406

406:                                              ; preds = %398, %406
  %407 = phi i64 [ %413, %406 ], [ %1, %398 ]
  %408 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %407, i1 true)
  %409 = trunc nuw nsw i64 %408 to i32
  %410 = getelementptr inbounds nuw i32, ptr %9, i64 %408
  %411 = load i32, ptr %410, align 4
  tail call void @kk3_san_lds(ptr noundef nonnull %0, i32 noundef %411, i32 noundef %11, i32 noundef 0, i32 noundef %2, i32 noundef %409) #18
  %412 = add i64 %407, -1
  %413 = and i64 %412, %407
  %414 = icmp eq i64 %413, 0
  br i1 %414, label %415, label %406, !llvm.loop !71

415:                                              ; preds = %406, %343, %398
  %416 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %1)
  %417 = zext i32 %11 to i64
  %418 = mul nuw nsw i64 %416, %417
  %419 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %420 = load ptr, ptr %419, align 8
  %421 = getelementptr inbounds nuw i8, ptr %7, i64 16
  %422 = load i32, ptr %421, align 4
  %423 = mul i32 %422, 17
  %424 = add i32 %423, 9
  %425 = zext i32 %424 to i64
  %426 = getelementptr inbounds nuw i64, ptr %420, i64 %425
  %427 = load i64, ptr %426, align 8
  %428 = add i64 %427, %418
  store i64 %428, ptr %426, align 8
  ret void
}

define internal fastcc void @lds_bad(ptr noundef %0, i64 noundef %1, ptr noundef readonly captures(none) %2, i32 noundef %3) unnamed_addr #2 {
  %5 = icmp eq i64 %1, 0
  br i1 %5, label %19, label %6

6:                                                ; preds = %4
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %8 = load ptr, ptr %7, align 8
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 56
  %11 = load i32, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr inbounds nuw i8, ptr %2, i64 4
  %15 = load i32, ptr %14, align 4
  %16 = zext i32 %15 to i64
  %17 = zext i32 %11 to i64
  %18 = getelementptr inbounds nuw i8, ptr %2, i64 8
  br label %20

19:                                               ; preds = %40, %4
  ret void

20:                                               ; preds = %6, %40
  %21 = phi i64 [ %1, %6 ], [ %42, %40 ]
  %22 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %21, i1 true)
  %23 = getelementptr inbounds nuw i32, ptr %13, i64 %22
  %24 = load i32, ptr %23, align 4
  %25 = zext i32 %24 to i64
  %26 = add nuw nsw i64 %16, %25
  %27 = icmp samesign ugt i64 %26, %17
  br i1 %27, label %28, label %31

28:                                               ; preds = %20
  %29 = trunc nuw nsw i64 %22 to i32
  %30 = or disjoint i64 %25, 4611686018427387904
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 1, i32 noundef %3, i64 noundef %30, i32 noundef %29, i64 noundef %17) #18
  unreachable

31:                                               ; preds = %20
  %32 = load i32, ptr %18, align 4
  %33 = add i32 %32, -1
  %34 = and i32 %33, %24
  %35 = icmp eq i32 %34, 0
  br i1 %35, label %40, label %36

36:                                               ; preds = %31
  %37 = trunc nuw nsw i64 %22 to i32
  %38 = or disjoint i64 %25, 4611686018427387904
  %39 = zext i32 %32 to i64
  tail call void @kk3_fault(ptr noundef %0, i32 noundef 3, i32 noundef %3, i64 noundef %38, i32 noundef %37, i64 noundef %39) #18
  unreachable

40:                                               ; preds = %31
  %41 = add i64 %21, -1
  %42 = and i64 %41, %21
  %43 = icmp eq i64 %42, 0
  br i1 %43, label %19, label %20, !llvm.loop !72
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #3

define noundef ptr @kk3_find(ptr noundef captures(none) %0, ptr noundef readonly captures(address_is_null) %1, i32 noundef %2, i32 noundef %3, i64 noundef %4, i32 noundef %5, i64 noundef %6) local_unnamed_addr #0 {
  %8 = icmp eq ptr %1, null
  br i1 %8, label %15, label %9

9:                                                ; preds = %7
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 80
  %11 = load ptr, ptr %10, align 8
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 64
  %14 = load i32, ptr %13, align 8
  br label %15

15:                                               ; preds = %7, %9
  %16 = phi i32 [ %14, %9 ], [ 0, %7 ]
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %18 = load i32, ptr %17, align 8
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %44, label %20

20:                                               ; preds = %15
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %22 = load ptr, ptr %21, align 8
  %23 = zext i32 %18 to i64
  br label %24

24:                                               ; preds = %20, %41
  %25 = phi i64 [ 0, %20 ], [ %42, %41 ]
  %26 = getelementptr inbounds nuw %struct.Finding, ptr %22, i64 %25
  %27 = load i32, ptr %26, align 8
  %28 = icmp eq i32 %27, %2
  br i1 %28, label %29, label %41

29:                                               ; preds = %24
  %30 = getelementptr inbounds nuw i8, ptr %26, i64 4
  %31 = load i32, ptr %30, align 4
  %32 = icmp eq i32 %31, %3
  br i1 %32, label %33, label %41

33:                                               ; preds = %29
  %34 = getelementptr inbounds nuw i8, ptr %26, i64 12
  %35 = load i32, ptr %34, align 4
  %36 = icmp eq i32 %35, %16
  br i1 %36, label %37, label %41

37:                                               ; preds = %33
  %38 = getelementptr inbounds nuw i8, ptr %26, i64 36
  %39 = load i32, ptr %38, align 4
  %40 = add i32 %39, 1
  store i32 %40, ptr %38, align 4
  br label %87

41:                                               ; preds = %33, %29, %24
  %42 = add nuw nsw i64 %25, 1
  %43 = icmp eq i64 %42, %23
  br i1 %43, label %44, label %24, !llvm.loop !73

44:                                               ; preds = %41, %15
  %45 = getelementptr inbounds nuw i8, ptr %0, i64 100
  %46 = load i32, ptr %45, align 4
  %47 = icmp eq i32 %18, %46
  br i1 %47, label %87, label %48

48:                                               ; preds = %44
  %49 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %50 = load ptr, ptr %49, align 8
  %51 = add i32 %18, 1
  store i32 %51, ptr %17, align 8
  %52 = zext i32 %18 to i64
  %53 = getelementptr inbounds nuw %struct.Finding, ptr %50, i64 %52
  %54 = tail call ptr @memset(ptr noundef %53, i32 noundef 0, i64 noundef 96) #19
  store i32 %2, ptr %53, align 8
  %55 = getelementptr inbounds nuw i8, ptr %53, i64 4
  store i32 %3, ptr %55, align 4
  %56 = getelementptr inbounds nuw i8, ptr %53, i64 48
  store i64 %4, ptr %56, align 8
  %57 = getelementptr inbounds nuw i8, ptr %53, i64 20
  store i32 %5, ptr %57, align 4
  %58 = getelementptr inbounds nuw i8, ptr %53, i64 64
  store i64 %6, ptr %58, align 8
  %59 = getelementptr inbounds nuw i8, ptr %0, i64 136
  %60 = load i64, ptr %59, align 8
  %61 = getelementptr inbounds nuw i8, ptr %53, i64 56
  store i64 %60, ptr %61, align 8
  %62 = getelementptr inbounds nuw i8, ptr %53, i64 36
  store i32 1, ptr %62, align 4
  %63 = getelementptr inbounds nuw i8, ptr %53, i64 8
  store i32 -1, ptr %63, align 8
  %64 = getelementptr inbounds nuw i8, ptr %53, i64 12
  store i32 %16, ptr %64, align 4
  %65 = getelementptr inbounds nuw i8, ptr %53, i64 40
  store i32 -1, ptr %65, align 8
  br i1 %8, label %87, label %66

66:                                               ; preds = %48
  %67 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %68 = load i32, ptr %67, align 8
  %69 = getelementptr inbounds nuw i8, ptr %53, i64 24
  store i32 %68, ptr %69, align 8
  %70 = getelementptr inbounds nuw i8, ptr %1, i64 80
  %71 = load ptr, ptr %70, align 8
  %72 = getelementptr inbounds nuw i8, ptr %71, i64 8
  %73 = load i32, ptr %72, align 8
  %74 = getelementptr inbounds nuw i8, ptr %53, i64 28
  store i32 %73, ptr %74, align 4
  %75 = load ptr, ptr %70, align 8
  %76 = getelementptr inbounds nuw i8, ptr %75, i64 56
  %77 = load i32, ptr %76, align 8
  store i32 %77, ptr %65, align 8
  %78 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %79 = getelementptr inbounds nuw i8, ptr %53, i64 72
  br label %80

80:                                               ; preds = %66, %80
  %81 = phi i64 [ 0, %66 ], [ %85, %80 ]
  %82 = getelementptr inbounds nuw i32, ptr %78, i64 %81
  %83 = load i32, ptr %82, align 4
  %84 = getelementptr inbounds nuw i32, ptr %79, i64 %81
  store i32 %83, ptr %84, align 4
  %85 = add nuw nsw i64 %81, 1
  %86 = icmp eq i64 %85, 3
  br i1 %86, label %87, label %80, !llvm.loop !74

87:                                               ; preds = %80, %37, %48, %44
  %88 = phi ptr [ null, %37 ], [ null, %44 ], [ %53, %48 ], [ %53, %80 ]
  ret ptr %88
}

define void @kk3_san_lds(ptr noundef readonly captures(address_is_null) %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 28
  %10 = load i32, ptr %9, align 4
  %11 = add i32 %10, 1
  %12 = add i32 %2, %1
  %13 = getelementptr inbounds nuw i8, ptr %8, i64 112
  %14 = load ptr, ptr %13, align 8
  %15 = icmp eq ptr %14, null
  br i1 %15, label %16, label %24

16:                                               ; preds = %6
  %17 = load ptr, ptr %8, align 8
  %18 = getelementptr inbounds nuw i8, ptr %17, i64 56
  %19 = load i32, ptr %18, align 8
  %20 = lshr i32 %19, 2
  %21 = add nuw nsw i32 %20, 32
  %22 = zext nneg i32 %21 to i64
  %23 = tail call ptr @calloc(i64 noundef %22, i64 noundef 24) #19
  store ptr %23, ptr %13, align 8
  br label %24

24:                                               ; preds = %16, %6
  %25 = and i32 %1, -4
  %26 = icmp ult i32 %25, %12
  br i1 %26, label %27, label %34

27:                                               ; preds = %24
  %28 = icmp eq i32 %3, 2
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %30 = icmp eq i32 %3, 1
  %31 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %33 = icmp eq i32 %3, 0
  br label %35

34:                                               ; preds = %180, %24
  ret void

35:                                               ; preds = %27, %180
  %36 = phi i32 [ %25, %27 ], [ %183, %180 ]
  %37 = load ptr, ptr %13, align 8
  %38 = lshr exact i32 %36, 2
  %39 = zext nneg i32 %38 to i64
  %40 = getelementptr inbounds nuw %struct.LdsShadow, ptr %37, i64 %39
  %41 = tail call i32 @llvm.usub.sat.i32(i32 %1, i32 %36)
  %42 = sub nuw i32 %12, %36
  %43 = tail call i32 @llvm.umin.i32(i32 %42, i32 4)
  %44 = shl nsw i32 -1, %43
  %45 = xor i32 %44, -1
  %46 = shl nsw i32 -1, %41
  %47 = and i32 %46, %45
  %48 = load i32, ptr %40, align 4
  br i1 %28, label %135, label %49

49:                                               ; preds = %35
  %50 = icmp eq i32 %48, %11
  br i1 %50, label %51, label %66

51:                                               ; preds = %49
  %52 = getelementptr inbounds nuw i8, ptr %40, i64 18
  %53 = load i8, ptr %52, align 2
  %54 = zext i8 %53 to i32
  %55 = load i32, ptr %29, align 8
  %56 = icmp eq i32 %55, %54
  br i1 %56, label %66, label %57

57:                                               ; preds = %51
  %58 = getelementptr inbounds nuw i8, ptr %40, i64 19
  %59 = load i8, ptr %58, align 1
  %60 = zext i8 %59 to i32
  %61 = and i32 %47, %60
  %62 = icmp eq i32 %61, 0
  br i1 %62, label %66, label %63

63:                                               ; preds = %57
  %64 = getelementptr inbounds nuw i8, ptr %40, i64 4
  %65 = load i32, ptr %64, align 4
  br label %66

66:                                               ; preds = %63, %57, %51, %49
  %67 = phi i1 [ false, %63 ], [ true, %57 ], [ true, %51 ], [ true, %49 ]
  %68 = phi i32 [ %65, %63 ], [ 0, %57 ], [ 0, %51 ], [ 0, %49 ]
  %69 = phi i32 [ %54, %63 ], [ 0, %57 ], [ 0, %51 ], [ 0, %49 ]
  br i1 %30, label %70, label %93

70:                                               ; preds = %66
  %71 = getelementptr inbounds nuw i8, ptr %40, i64 8
  %72 = load i32, ptr %71, align 4
  %73 = icmp eq i32 %72, %11
  br i1 %73, label %74, label %93

74:                                               ; preds = %70
  %75 = getelementptr inbounds nuw i8, ptr %40, i64 20
  %76 = load i8, ptr %75, align 4
  %77 = zext i8 %76 to i32
  %78 = and i32 %47, %77
  %79 = icmp eq i32 %78, 0
  br i1 %79, label %93, label %80

80:                                               ; preds = %74
  %81 = getelementptr inbounds nuw i8, ptr %40, i64 16
  %82 = load i16, ptr %81, align 4
  %83 = zext i16 %82 to i32
  %84 = load i32, ptr %29, align 8
  %85 = shl nuw i32 1, %84
  %86 = xor i32 %85, -1
  %87 = and i32 %86, %83
  %88 = icmp eq i32 %87, 0
  br i1 %88, label %93, label %89

89:                                               ; preds = %80
  %90 = getelementptr inbounds nuw i8, ptr %40, i64 12
  %91 = load i32, ptr %90, align 4
  %92 = tail call range(i32 0, 33) i32 @llvm.cttz.i32(i32 %87, i1 true)
  br label %94

93:                                               ; preds = %80, %74, %70, %66
  br i1 %67, label %132, label %94

94:                                               ; preds = %89, %93
  %95 = phi i32 [ %92, %89 ], [ %69, %93 ]
  %96 = phi i32 [ %91, %89 ], [ %68, %93 ]
  %97 = zext i32 %36 to i64
  %98 = or disjoint i64 %97, 4611686018427387904
  %99 = load i32, ptr %31, align 8
  %100 = shl i32 %99, 4
  %101 = or i32 %100, %95
  %102 = load ptr, ptr %32, align 8
  %103 = tail call ptr @kk3_find(ptr noundef %102, ptr noundef readonly %0, i32 noundef 16, i32 noundef %4, i64 noundef %98, i32 noundef %5, i64 noundef 0) #18
  %104 = icmp ne ptr %103, null
  %105 = icmp ne i32 %101, -1
  %106 = and i1 %105, %104
  br i1 %106, label %107, label %132

107:                                              ; preds = %94
  %108 = load ptr, ptr @sans, align 8
  %109 = lshr i32 %101, 4
  %110 = zext nneg i32 %109 to i64
  %111 = getelementptr inbounds nuw ptr, ptr %108, i64 %110
  %112 = load ptr, ptr %111, align 8
  %113 = getelementptr inbounds nuw i8, ptr %103, i64 8
  store i32 %96, ptr %113, align 8
  %114 = getelementptr inbounds nuw i8, ptr %103, i64 32
  store i32 %109, ptr %114, align 8
  %115 = getelementptr inbounds nuw i8, ptr %112, i64 856
  %116 = load ptr, ptr %115, align 8
  %117 = getelementptr inbounds nuw i8, ptr %116, i64 64
  %118 = load i32, ptr %117, align 8
  %119 = getelementptr inbounds nuw i8, ptr %103, i64 16
  store i32 %118, ptr %119, align 8
  %120 = getelementptr inbounds nuw i8, ptr %112, i64 864
  %121 = load i32, ptr %120, align 8
  %122 = getelementptr inbounds nuw i8, ptr %103, i64 44
  store i32 %121, ptr %122, align 4
  %123 = getelementptr inbounds nuw i8, ptr %112, i64 872
  %124 = getelementptr inbounds nuw i8, ptr %103, i64 84
  br label %125

125:                                              ; preds = %125, %107
  %126 = phi i64 [ 0, %107 ], [ %130, %125 ]
  %127 = getelementptr inbounds nuw i32, ptr %123, i64 %126
  %128 = load i32, ptr %127, align 4
  %129 = getelementptr inbounds nuw i32, ptr %124, i64 %126
  store i32 %128, ptr %129, align 4
  %130 = add nuw nsw i64 %126, 1
  %131 = icmp eq i64 %130, 3
  br i1 %131, label %132, label %125, !llvm.loop !75

132:                                              ; preds = %125, %94, %93
  br i1 %33, label %156, label %133

133:                                              ; preds = %132
  %134 = load i32, ptr %40, align 4
  br label %135

135:                                              ; preds = %133, %35
  %136 = phi i32 [ %134, %133 ], [ %48, %35 ]
  %137 = icmp eq i32 %136, %11
  br i1 %137, label %138, label %149

138:                                              ; preds = %135
  %139 = getelementptr inbounds nuw i8, ptr %40, i64 18
  %140 = load i8, ptr %139, align 2
  %141 = zext i8 %140 to i32
  %142 = load i32, ptr %29, align 8
  %143 = icmp eq i32 %142, %141
  br i1 %143, label %144, label %149

144:                                              ; preds = %138
  %145 = getelementptr inbounds nuw i8, ptr %40, i64 19
  %146 = load i8, ptr %145, align 1
  %147 = zext i8 %146 to i32
  %148 = or i32 %47, %147
  br label %149

149:                                              ; preds = %135, %138, %144
  %150 = phi i32 [ %148, %144 ], [ %47, %138 ], [ %47, %135 ]
  %151 = trunc nuw i32 %150 to i8
  %152 = getelementptr inbounds nuw i8, ptr %40, i64 19
  store i8 %151, ptr %152, align 1
  store i32 %11, ptr %40, align 4
  %153 = load i32, ptr %29, align 8
  %154 = trunc i32 %153 to i8
  %155 = getelementptr inbounds nuw i8, ptr %40, i64 18
  store i8 %154, ptr %155, align 2
  br label %180

156:                                              ; preds = %132
  %157 = getelementptr inbounds nuw i8, ptr %40, i64 8
  %158 = load i32, ptr %157, align 4
  %159 = icmp eq i32 %158, %11
  br i1 %159, label %160, label %171

160:                                              ; preds = %156
  %161 = getelementptr inbounds nuw i8, ptr %40, i64 16
  %162 = load i16, ptr %161, align 4
  %163 = load i32, ptr %29, align 8
  %164 = shl nuw i32 1, %163
  %165 = trunc i32 %164 to i16
  %166 = or i16 %162, %165
  store i16 %166, ptr %161, align 4
  %167 = getelementptr inbounds nuw i8, ptr %40, i64 20
  %168 = load i8, ptr %167, align 4
  %169 = zext i8 %168 to i32
  %170 = or i32 %47, %169
  br label %176

171:                                              ; preds = %156
  %172 = load i32, ptr %29, align 8
  %173 = shl nuw i32 1, %172
  %174 = trunc i32 %173 to i16
  %175 = getelementptr inbounds nuw i8, ptr %40, i64 16
  store i16 %174, ptr %175, align 4
  br label %176

176:                                              ; preds = %171, %160
  %177 = phi i32 [ %170, %160 ], [ %47, %171 ]
  %178 = trunc nuw i32 %177 to i8
  %179 = getelementptr inbounds nuw i8, ptr %40, i64 20
  store i8 %178, ptr %179, align 4
  store i32 %11, ptr %157, align 4
  br label %180

180:                                              ; preds = %176, %149
  %181 = phi i64 [ 12, %176 ], [ 4, %149 ]
  %182 = getelementptr inbounds nuw i8, ptr %40, i64 %181
  store i32 %4, ptr %182, align 4
  %183 = add i32 %36, 4
  %184 = icmp ult i32 %183, %12
  br i1 %184, label %35, label %34, !llvm.loop !76
}

define void @kk3_lds_st(ptr noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = alloca [128 x i8], align 16
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %6 = load ptr, ptr %5, align 8
  %7 = zext i32 %2 to i64
  %8 = getelementptr inbounds nuw %struct.Site, ptr %6, i64 %7
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds nuw i8, ptr %8, i64 4
  %12 = load i32, ptr %11, align 4
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 88
  %16 = load ptr, ptr %15, align 8
  %17 = getelementptr inbounds nuw i8, ptr %14, i64 96
  %18 = load ptr, ptr %17, align 8
  %19 = load ptr, ptr %14, align 8
  %20 = getelementptr inbounds nuw i8, ptr %19, i64 56
  %21 = load i32, ptr %20, align 8
  %22 = sub i32 %21, %12
  %23 = icmp ult i32 %21, %12
  br i1 %23, label %46, label %24

24:                                               ; preds = %3
  %25 = getelementptr inbounds nuw i8, ptr %8, i64 8
  %26 = load i32, ptr %25, align 4
  %27 = add i32 %26, -1
  br label %28

28:                                               ; preds = %24, %28
  %29 = phi i64 [ 0, %24 ], [ %42, %28 ]
  %30 = phi i32 [ 0, %24 ], [ %41, %28 ]
  %31 = getelementptr inbounds nuw i32, ptr %10, i64 %29
  %32 = load i32, ptr %31, align 4
  %33 = lshr i64 %1, %29
  %34 = trunc i64 %33 to i32
  %35 = icmp ugt i32 %32, %22
  %36 = and i32 %27, %32
  %37 = icmp ne i32 %36, 0
  %38 = or i1 %35, %37
  %39 = and i32 %34, 1
  %40 = select i1 %38, i32 %39, i32 0
  %41 = or i32 %40, %30
  %42 = add nuw nsw i64 %29, 1
  %43 = icmp eq i64 %42, 64
  br i1 %43, label %44, label %28, !llvm.loop !52

44:                                               ; preds = %28
  %45 = icmp eq i32 %41, 0
  br i1 %45, label %47, label %46

46:                                               ; preds = %3, %44
  tail call fastcc void @lds_bad(ptr noundef nonnull %0, i64 noundef %1, ptr noundef nonnull %8, i32 noundef %2) #18
  br label %47

47:                                               ; preds = %46, %44
  %48 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %49 = load ptr, ptr %48, align 8
  %50 = getelementptr inbounds nuw i8, ptr %49, i64 220
  %51 = load i32, ptr %50, align 4
  %52 = icmp eq i32 %51, 0
  br i1 %52, label %115, label %53

53:                                               ; preds = %47
  %54 = icmp eq i64 %1, 0
  br i1 %54, label %239, label %55

55:                                               ; preds = %53
  %56 = getelementptr inbounds nuw i8, ptr %10, i64 768
  %57 = lshr i32 %12, 2
  %58 = icmp eq i32 %57, 0
  %59 = icmp eq i32 %12, 0
  %60 = zext nneg i32 %57 to i64
  %61 = zext i32 %12 to i64
  br label %62

62:                                               ; preds = %55, %95
  %63 = phi i64 [ %1, %55 ], [ %98, %95 ]
  %64 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %63, i1 true)
  %65 = trunc nuw nsw i64 %64 to i32
  %66 = getelementptr inbounds nuw i32, ptr %10, i64 %64
  %67 = load i32, ptr %66, align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #20
  switch i32 %12, label %68 [
    i32 4, label %71
    i32 2, label %74
    i32 1, label %78
  ]

68:                                               ; preds = %62
  br i1 %58, label %90, label %69

69:                                               ; preds = %68
  %70 = getelementptr inbounds nuw i32, ptr %56, i64 %64
  br label %82

71:                                               ; preds = %62
  %72 = getelementptr inbounds nuw i32, ptr %56, i64 %64
  %73 = load i32, ptr %72, align 4
  store i32 %73, ptr %4, align 16
  br label %91

74:                                               ; preds = %62
  %75 = getelementptr inbounds nuw i32, ptr %56, i64 %64
  %76 = load i32, ptr %75, align 4
  %77 = trunc i32 %76 to i16
  store i16 %77, ptr %4, align 16
  br label %91

78:                                               ; preds = %62
  %79 = getelementptr inbounds nuw i32, ptr %56, i64 %64
  %80 = load i32, ptr %79, align 4
  %81 = trunc i32 %80 to i8
  store i8 %81, ptr %4, align 16
  br label %91

82:                                               ; preds = %69, %82
  %83 = phi i64 [ 0, %69 ], [ %88, %82 ]
  %84 = shl nuw i64 %83, 2
  %85 = getelementptr inbounds nuw i8, ptr %4, i64 %84
  %86 = getelementptr inbounds nuw [64 x i32], ptr %70, i64 %83
  %87 = load i32, ptr %86, align 4
  store i32 %87, ptr %85, align 4
  %88 = add nuw nsw i64 %83, 1
  %89 = icmp eq i64 %88, %60
  br i1 %89, label %90, label %82, !llvm.loop !43

90:                                               ; preds = %82, %68
  br i1 %59, label %95, label %91

91:                                               ; preds = %78, %74, %71, %90
  br label %100

92:                                               ; preds = %100
  %93 = icmp eq i32 %112, 0
  %94 = select i1 %93, i32 2, i32 1
  br label %95

95:                                               ; preds = %92, %90
  %96 = phi i32 [ 2, %90 ], [ %94, %92 ]
  tail call void @kk3_san_lds(ptr noundef %0, i32 noundef %67, i32 noundef %12, i32 noundef %96, i32 noundef %2, i32 noundef %65) #18
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #20
  %97 = add i64 %63, -1
  %98 = and i64 %97, %63
  %99 = icmp eq i64 %98, 0
  br i1 %99, label %115, label %62, !llvm.loop !77

100:                                              ; preds = %91, %100
  %101 = phi i64 [ %113, %100 ], [ 0, %91 ]
  %102 = phi i32 [ %112, %100 ], [ 0, %91 ]
  %103 = getelementptr inbounds nuw i8, ptr %4, i64 %101
  %104 = load i8, ptr %103, align 1
  %105 = trunc nuw i64 %101 to i32
  %106 = add i32 %67, %105
  %107 = zext i32 %106 to i64
  %108 = getelementptr inbounds nuw i8, ptr %16, i64 %107
  %109 = load i8, ptr %108, align 1
  %110 = xor i8 %109, %104
  %111 = zext i8 %110 to i32
  %112 = or i32 %102, %111
  %113 = add nuw nsw i64 %101, 1
  %114 = icmp eq i64 %113, %61
  br i1 %114, label %92, label %100, !llvm.loop !78

115:                                              ; preds = %95, %47
  switch i64 %1, label %179 [
    i64 -1, label %116
    i64 0, label %239
  ]

116:                                              ; preds = %115
  %117 = icmp eq i32 %12, 4
  switch i32 %12, label %179 [
    i32 16, label %118
    i32 4, label %118
  ]

118:                                              ; preds = %116, %116
  %119 = load i32, ptr %10, align 4
  br label %120

120:                                              ; preds = %118, %120
  %121 = phi i64 [ 0, %118 ], [ %130, %120 ]
  %122 = phi i32 [ 0, %118 ], [ %129, %120 ]
  %123 = getelementptr inbounds nuw i32, ptr %10, i64 %121
  %124 = load i32, ptr %123, align 4
  %125 = trunc nuw nsw i64 %121 to i32
  %126 = mul i32 %12, %125
  %127 = add i32 %119, %126
  %128 = xor i32 %127, %124
  %129 = or i32 %128, %122
  %130 = add nuw nsw i64 %121, 1
  %131 = icmp eq i64 %130, 64
  br i1 %131, label %132, label %120, !llvm.loop !13

132:                                              ; preds = %120
  %133 = icmp eq i32 %129, 0
  br i1 %133, label %134, label %179

134:                                              ; preds = %132
  %135 = zext i32 %119 to i64
  %136 = getelementptr inbounds nuw i8, ptr %16, i64 %135
  %137 = getelementptr inbounds nuw i8, ptr %10, i64 768
  br i1 %117, label %138, label %147

138:                                              ; preds = %134
  tail call void @llvm.experimental.noalias.scope.decl(metadata !79)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !82)
  br label %139

139:                                              ; preds = %138, %139
  %140 = phi i64 [ 0, %138 ], [ %145, %139 ]
  %141 = getelementptr inbounds nuw i32, ptr %137, i64 %140
  %142 = shl nuw nsw i64 %140, 2
  %143 = getelementptr inbounds nuw i8, ptr %136, i64 %142
  %144 = load i32, ptr %141, align 4, !alias.scope !82, !noalias !79
  store i32 %144, ptr %143, align 1, !alias.scope !79, !noalias !82
  %145 = add nuw nsw i64 %140, 1
  %146 = icmp eq i64 %145, 64
  br i1 %146, label %166, label %139, !llvm.loop !84

147:                                              ; preds = %134
  tail call void @llvm.experimental.noalias.scope.decl(metadata !85)
  tail call void @llvm.experimental.noalias.scope.decl(metadata !88)
  br label %148

148:                                              ; preds = %147, %153
  %149 = phi i64 [ 0, %147 ], [ %154, %153 ]
  %150 = shl nuw nsw i64 %149, 4
  %151 = getelementptr inbounds nuw i32, ptr %137, i64 %149
  %152 = getelementptr inbounds nuw i8, ptr %136, i64 %150
  br label %156

153:                                              ; preds = %156
  %154 = add nuw nsw i64 %149, 1
  %155 = icmp eq i64 %154, 64
  br i1 %155, label %164, label %148, !llvm.loop !84

156:                                              ; preds = %148, %156
  %157 = phi i64 [ 0, %148 ], [ %162, %156 ]
  %158 = shl nuw nsw i64 %157, 2
  %159 = getelementptr inbounds nuw i8, ptr %152, i64 %158
  %160 = getelementptr inbounds nuw [64 x i32], ptr %151, i64 %157
  %161 = load i32, ptr %160, align 4, !alias.scope !88, !noalias !85
  store i32 %161, ptr %159, align 1, !alias.scope !85, !noalias !88
  %162 = add nuw nsw i64 %157, 1
  %163 = icmp eq i64 %162, 4
  br i1 %163, label %153, label %156, !llvm.loop !90

164:                                              ; preds = %153
  %165 = icmp eq i32 %12, 0
  br i1 %165, label %239, label %166

166:                                              ; preds = %139, %164
  %167 = shl i32 %12, 4
  %168 = lshr i32 %119, 2
  %169 = tail call i32 @llvm.umax.i32(i32 %167, i32 1)
  %170 = zext i32 %169 to i64
  br label %171

171:                                              ; preds = %166, %171
  %172 = phi i64 [ 0, %166 ], [ %177, %171 ]
  %173 = trunc nuw i64 %172 to i32
  %174 = add i32 %168, %173
  %175 = zext i32 %174 to i64
  %176 = getelementptr inbounds nuw i8, ptr %18, i64 %175
  store i8 15, ptr %176, align 1
  %177 = add nuw nsw i64 %172, 1
  %178 = icmp eq i64 %177, %170
  br i1 %178, label %239, label %171, !llvm.loop !91

179:                                              ; preds = %132, %116, %115
  %180 = getelementptr inbounds nuw i8, ptr %10, i64 768
  %181 = lshr i32 %12, 2
  %182 = icmp eq i32 %181, 0
  %183 = icmp ugt i32 %12, 3
  %184 = shl nsw i32 -1, %12
  %185 = xor i32 %184, -1
  %186 = zext nneg i32 %181 to i64
  br label %187

187:                                              ; preds = %179, %235
  %188 = phi i64 [ %1, %179 ], [ %237, %235 ]
  %189 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %188, i1 true)
  %190 = getelementptr inbounds nuw i32, ptr %10, i64 %189
  %191 = load i32, ptr %190, align 4
  %192 = zext i32 %191 to i64
  %193 = getelementptr inbounds nuw i8, ptr %16, i64 %192
  switch i32 %12, label %194 [
    i32 4, label %197
    i32 2, label %200
    i32 1, label %204
  ]

194:                                              ; preds = %187
  br i1 %182, label %216, label %195

195:                                              ; preds = %194
  %196 = getelementptr inbounds nuw i32, ptr %180, i64 %189
  br label %208

197:                                              ; preds = %187
  %198 = getelementptr inbounds nuw i32, ptr %180, i64 %189
  %199 = load i32, ptr %198, align 4
  store i32 %199, ptr %193, align 1
  br label %217

200:                                              ; preds = %187
  %201 = getelementptr inbounds nuw i32, ptr %180, i64 %189
  %202 = load i32, ptr %201, align 4
  %203 = trunc i32 %202 to i16
  store i16 %203, ptr %193, align 1
  br label %226

204:                                              ; preds = %187
  %205 = getelementptr inbounds nuw i32, ptr %180, i64 %189
  %206 = load i32, ptr %205, align 4
  %207 = trunc i32 %206 to i8
  store i8 %207, ptr %193, align 1
  br label %226

208:                                              ; preds = %195, %208
  %209 = phi i64 [ 0, %195 ], [ %214, %208 ]
  %210 = shl nuw i64 %209, 2
  %211 = getelementptr inbounds nuw i8, ptr %193, i64 %210
  %212 = getelementptr inbounds nuw [64 x i32], ptr %196, i64 %209
  %213 = load i32, ptr %212, align 4
  store i32 %213, ptr %211, align 1
  %214 = add nuw nsw i64 %209, 1
  %215 = icmp eq i64 %214, %186
  br i1 %215, label %216, label %208, !llvm.loop !43

216:                                              ; preds = %208, %194
  br i1 %183, label %217, label %226

217:                                              ; preds = %197, %216
  br label %218

218:                                              ; preds = %217, %218
  %219 = phi i32 [ %224, %218 ], [ 0, %217 ]
  %220 = add i32 %219, %191
  %221 = lshr i32 %220, 2
  %222 = zext nneg i32 %221 to i64
  %223 = getelementptr inbounds nuw i8, ptr %18, i64 %222
  store i8 15, ptr %223, align 1
  %224 = add nuw i32 %219, 4
  %225 = icmp ult i32 %224, %12
  br i1 %225, label %218, label %235, !llvm.loop !92

226:                                              ; preds = %204, %200, %216
  %227 = and i32 %191, 3
  %228 = shl nuw nsw i32 %185, %227
  %229 = lshr i32 %191, 2
  %230 = zext nneg i32 %229 to i64
  %231 = getelementptr inbounds nuw i8, ptr %18, i64 %230
  %232 = load i8, ptr %231, align 1
  %233 = trunc nuw nsw i32 %228 to i8
  %234 = or i8 %232, %233
  store i8 %234, ptr %231, align 1
  br label %235

235:                                              ; preds = %218, %226
  %236 = add i64 %188, -1
  %237 = and i64 %236, %188
  %238 = icmp eq i64 %237, 0
  br i1 %238, label %239, label %187, !llvm.loop !93

239:                                              ; preds = %171, %235, %53, %164, %115
  %240 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %1)
  %241 = zext i32 %12 to i64
  %242 = mul nuw nsw i64 %240, %241
  %243 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %244 = load ptr, ptr %243, align 8
  %245 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %246 = load i32, ptr %245, align 4
  %247 = mul i32 %246, 17
  %248 = add i32 %247, 10
  %249 = zext i32 %248 to i64
  %250 = getelementptr inbounds nuw i64, ptr %244, i64 %249
  %251 = load i64, ptr %250, align 8
  %252 = add i64 %251, %242
  store i64 %252, ptr %250, align 8
  ret void
}

define void @kk3_lds_ld_u(ptr noundef %0, i32 noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %6 = load ptr, ptr %5, align 8
  %7 = icmp eq i64 %2, 0
  br i1 %7, label %8, label %31

8:                                                ; preds = %4
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %10 = zext i32 %3 to i64
  %11 = load ptr, ptr %9, align 8
  %12 = getelementptr inbounds nuw %struct.Site, ptr %11, i64 %10
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 4
  %14 = load i32, ptr %13, align 4
  %15 = add i32 %14, 3
  %16 = icmp ult i32 %15, 4
  br i1 %16, label %169, label %17

17:                                               ; preds = %8
  %18 = getelementptr inbounds nuw i8, ptr %6, i64 768
  br label %19

19:                                               ; preds = %17, %19
  %20 = phi i64 [ 0, %17 ], [ %22, %19 ]
  %21 = getelementptr inbounds nuw [64 x i32], ptr %18, i64 %20
  store i32 0, ptr %21, align 8
  %22 = add nuw nsw i64 %20, 1
  %23 = load ptr, ptr %9, align 8
  %24 = getelementptr inbounds nuw %struct.Site, ptr %23, i64 %10
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 4
  %26 = load i32, ptr %25, align 4
  %27 = add i32 %26, 3
  %28 = lshr i32 %27, 2
  %29 = zext nneg i32 %28 to i64
  %30 = icmp samesign ult i64 %22, %29
  br i1 %30, label %19, label %169, !llvm.loop !94

31:                                               ; preds = %4
  store i32 %1, ptr %6, align 8
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %33 = load ptr, ptr %32, align 8
  %34 = zext i32 %3 to i64
  %35 = getelementptr inbounds nuw %struct.Site, ptr %33, i64 %34
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %37 = load ptr, ptr %36, align 8
  %38 = load ptr, ptr %37, align 8
  %39 = getelementptr inbounds nuw i8, ptr %38, i64 56
  %40 = load i32, ptr %39, align 8
  %41 = getelementptr inbounds nuw i8, ptr %35, i64 4
  %42 = load i32, ptr %41, align 4
  %43 = sub i32 %40, %42
  %44 = icmp ult i32 %40, %42
  br i1 %44, label %67, label %45

45:                                               ; preds = %31
  %46 = load ptr, ptr %5, align 8
  %47 = getelementptr inbounds nuw i8, ptr %35, i64 8
  %48 = load i32, ptr %47, align 4
  %49 = add i32 %48, -1
  br label %50

50:                                               ; preds = %45, %50
  %51 = phi i64 [ 0, %45 ], [ %63, %50 ]
  %52 = phi i32 [ 0, %45 ], [ %62, %50 ]
  %53 = getelementptr inbounds nuw i32, ptr %46, i64 %51
  %54 = load i32, ptr %53, align 4
  %55 = lshr i64 1, %51
  %56 = trunc nuw nsw i64 %55 to i32
  %57 = icmp ugt i32 %54, %43
  %58 = and i32 %49, %54
  %59 = icmp ne i32 %58, 0
  %60 = or i1 %57, %59
  %61 = select i1 %60, i32 %56, i32 0
  %62 = or i32 %61, %52
  %63 = add nuw nsw i64 %51, 1
  %64 = icmp eq i64 %63, 64
  br i1 %64, label %65, label %50, !llvm.loop !52

65:                                               ; preds = %50
  %66 = icmp eq i32 %62, 0
  br i1 %66, label %70, label %67

67:                                               ; preds = %31, %65
  tail call fastcc void @lds_bad(ptr noundef nonnull %0, i64 noundef 1, ptr noundef nonnull %35, i32 noundef %3) #18
  %68 = load ptr, ptr %36, align 8
  %69 = load i32, ptr %41, align 4
  br label %70

70:                                               ; preds = %67, %65
  %71 = phi i32 [ %69, %67 ], [ %42, %65 ]
  %72 = phi ptr [ %68, %67 ], [ %37, %65 ]
  %73 = getelementptr inbounds nuw i8, ptr %72, i64 88
  %74 = load ptr, ptr %73, align 8
  %75 = zext i32 %1 to i64
  %76 = getelementptr inbounds nuw i8, ptr %74, i64 %75
  switch i32 %71, label %77 [
    i32 4, label %83
    i32 2, label %85
    i32 1, label %88
  ]

77:                                               ; preds = %70
  %78 = lshr i32 %71, 2
  %79 = icmp eq i32 %78, 0
  br i1 %79, label %102, label %80

80:                                               ; preds = %77
  %81 = getelementptr inbounds nuw i8, ptr %6, i64 768
  %82 = zext nneg i32 %78 to i64
  br label %91

83:                                               ; preds = %70
  %84 = load i32, ptr %76, align 1
  br label %99

85:                                               ; preds = %70
  %86 = load i16, ptr %76, align 1
  %87 = zext i16 %86 to i32
  br label %99

88:                                               ; preds = %70
  %89 = load i8, ptr %76, align 1
  %90 = zext i8 %89 to i32
  br label %99

91:                                               ; preds = %80, %91
  %92 = phi i64 [ 0, %80 ], [ %97, %91 ]
  %93 = getelementptr inbounds nuw [64 x i32], ptr %81, i64 %92
  %94 = shl nuw i64 %92, 2
  %95 = getelementptr inbounds nuw i8, ptr %76, i64 %94
  %96 = load i32, ptr %95, align 1
  store i32 %96, ptr %93, align 4
  %97 = add nuw nsw i64 %92, 1
  %98 = icmp eq i64 %97, %82
  br i1 %98, label %102, label %91, !llvm.loop !31

99:                                               ; preds = %88, %85, %83
  %100 = phi i32 [ %84, %83 ], [ %87, %85 ], [ %90, %88 ]
  %101 = getelementptr inbounds nuw i8, ptr %6, i64 768
  store i32 %100, ptr %101, align 4
  br label %102

102:                                              ; preds = %91, %99, %77
  %103 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %104 = load ptr, ptr %103, align 8
  %105 = getelementptr inbounds nuw i8, ptr %104, i64 224
  %106 = load i32, ptr %105, align 8
  %107 = icmp eq i32 %106, 0
  %108 = load i32, ptr %41, align 4
  br i1 %107, label %148, label %109

109:                                              ; preds = %102
  %110 = load ptr, ptr %36, align 8
  %111 = getelementptr inbounds nuw i8, ptr %110, i64 96
  %112 = load ptr, ptr %111, align 8
  %113 = icmp ugt i32 %108, 3
  br i1 %113, label %114, label %127

114:                                              ; preds = %109, %114
  %115 = phi i32 [ %125, %114 ], [ 0, %109 ]
  %116 = phi i32 [ %124, %114 ], [ 0, %109 ]
  %117 = add i32 %115, %1
  %118 = lshr i32 %117, 2
  %119 = zext nneg i32 %118 to i64
  %120 = getelementptr inbounds nuw i8, ptr %112, i64 %119
  %121 = load i8, ptr %120, align 1
  %122 = xor i8 %121, 15
  %123 = zext i8 %122 to i32
  %124 = or i32 %116, %123
  %125 = add nuw i32 %115, 4
  %126 = icmp ult i32 %125, %108
  br i1 %126, label %114, label %139, !llvm.loop !69

127:                                              ; preds = %109
  %128 = shl nsw i32 -1, %108
  %129 = xor i32 %128, -1
  %130 = and i32 %1, 3
  %131 = shl nuw nsw i32 %129, %130
  %132 = lshr i32 %1, 2
  %133 = zext nneg i32 %132 to i64
  %134 = getelementptr inbounds nuw i8, ptr %112, i64 %133
  %135 = load i8, ptr %134, align 1
  %136 = zext i8 %135 to i32
  %137 = xor i32 %136, -1
  %138 = and i32 %131, %137
  br label %139

139:                                              ; preds = %114, %127
  %140 = phi i32 [ %138, %127 ], [ %124, %114 ]
  %141 = icmp eq i32 %140, 0
  br i1 %141, label %148, label %142

142:                                              ; preds = %139
  %143 = or disjoint i64 %75, 4611686018427387904
  %144 = zext i32 %108 to i64
  %145 = tail call ptr @kk3_find(ptr noundef nonnull %104, ptr noundef nonnull %0, i32 noundef 4, i32 noundef %3, i64 noundef %143, i32 noundef 0, i64 noundef %144) #18
  %146 = load ptr, ptr %103, align 8
  %147 = load i32, ptr %41, align 4
  br label %148

148:                                              ; preds = %142, %139, %102
  %149 = phi i32 [ %147, %142 ], [ %108, %139 ], [ %108, %102 ]
  %150 = phi ptr [ %146, %142 ], [ %104, %139 ], [ %104, %102 ]
  %151 = getelementptr inbounds nuw i8, ptr %150, i64 220
  %152 = load i32, ptr %151, align 4
  %153 = icmp eq i32 %152, 0
  br i1 %153, label %156, label %154

154:                                              ; preds = %148
  tail call void @kk3_san_lds(ptr noundef nonnull %0, i32 noundef %1, i32 noundef %149, i32 noundef 0, i32 noundef %3, i32 noundef 0) #18
  %155 = load i32, ptr %41, align 4
  br label %156

156:                                              ; preds = %154, %148
  %157 = phi i32 [ %155, %154 ], [ %149, %148 ]
  %158 = zext i32 %157 to i64
  %159 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %160 = load ptr, ptr %159, align 8
  %161 = getelementptr inbounds nuw i8, ptr %35, i64 16
  %162 = load i32, ptr %161, align 4
  %163 = mul i32 %162, 17
  %164 = add i32 %163, 9
  %165 = zext i32 %164 to i64
  %166 = getelementptr inbounds nuw i64, ptr %160, i64 %165
  %167 = load i64, ptr %166, align 8
  %168 = add i64 %167, %158
  store i64 %168, ptr %166, align 8
  br label %169

169:                                              ; preds = %19, %8, %156
  ret void
}

define void @kk3_lds_st_u(ptr noundef %0, i32 noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = icmp eq i64 %2, 0
  br i1 %5, label %9, label %6

6:                                                ; preds = %4
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %8 = load ptr, ptr %7, align 8
  store i32 %1, ptr %8, align 8
  tail call void @kk3_lds_st(ptr noundef %0, i64 noundef 1, i32 noundef %3) #18
  br label %9

9:                                                ; preds = %4, %6
  ret void
}

define void @kk3_prv(ptr noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %5 = load ptr, ptr %4, align 8
  %6 = zext i32 %2 to i64
  %7 = getelementptr inbounds nuw %struct.Site, ptr %5, i64 %6
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %11 = load ptr, ptr %10, align 8
  %12 = load ptr, ptr %11, align 8
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 60
  %14 = load i32, ptr %13, align 4
  %15 = getelementptr inbounds nuw i8, ptr %7, i64 4
  %16 = load i32, ptr %15, align 4
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 240
  %18 = load ptr, ptr %17, align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %20, label %26

20:                                               ; preds = %3
  %21 = add i32 %14, 16
  %22 = zext i32 %21 to i64
  %23 = tail call ptr @calloc(i64 noundef 64, i64 noundef %22) #19
  store ptr %23, ptr %17, align 8
  %24 = tail call ptr @calloc(i64 noundef 64, i64 noundef %22) #19
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 248
  store ptr %24, ptr %25, align 8
  br label %26

26:                                               ; preds = %20, %3
  %27 = icmp eq i64 %1, 0
  br i1 %27, label %42, label %28

28:                                               ; preds = %26
  %29 = add i32 %14, 16
  %30 = zext i32 %29 to i64
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 248
  %32 = zext i32 %16 to i64
  %33 = zext i32 %14 to i64
  %34 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %35 = getelementptr inbounds nuw i8, ptr %9, i64 768
  %36 = lshr i32 %16, 2
  %37 = icmp eq i32 %36, 0
  %38 = icmp eq i32 %16, 0
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %40 = zext nneg i32 %36 to i64
  %41 = zext nneg i32 %36 to i64
  br label %46

42:                                               ; preds = %147, %26
  %43 = getelementptr inbounds nuw i8, ptr %7, i64 24
  %44 = load i32, ptr %43, align 4
  %45 = icmp eq i32 %44, 0
  br i1 %45, label %151, label %177

46:                                               ; preds = %28, %147
  %47 = phi i64 [ %1, %28 ], [ %149, %147 ]
  %48 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %47, i1 true)
  %49 = trunc nuw nsw i64 %48 to i32
  %50 = getelementptr inbounds nuw i32, ptr %9, i64 %48
  %51 = load i32, ptr %50, align 4
  %52 = mul nuw nsw i64 %48, %30
  %53 = load ptr, ptr %31, align 8
  %54 = getelementptr inbounds nuw i8, ptr %53, i64 %52
  %55 = zext i32 %51 to i64
  %56 = add nuw nsw i64 %55, %32
  %57 = icmp samesign ugt i64 %56, %33
  br i1 %57, label %58, label %60

58:                                               ; preds = %46
  %59 = or disjoint i64 %55, 2305843009213693952
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 1, i32 noundef %2, i64 noundef %59, i32 noundef %49, i64 noundef %33) #18
  unreachable

60:                                               ; preds = %46
  %61 = load ptr, ptr %17, align 8
  %62 = getelementptr inbounds nuw i8, ptr %61, i64 %52
  %63 = load i32, ptr %34, align 4
  %64 = icmp eq i32 %63, 0
  %65 = getelementptr inbounds nuw i8, ptr %62, i64 %55
  br i1 %64, label %99, label %66

66:                                               ; preds = %60
  switch i32 %16, label %67 [
    i32 4, label %70
    i32 2, label %73
    i32 1, label %77
  ]

67:                                               ; preds = %66
  br i1 %37, label %89, label %68

68:                                               ; preds = %67
  %69 = getelementptr inbounds nuw i32, ptr %35, i64 %48
  br label %81

70:                                               ; preds = %66
  %71 = getelementptr inbounds nuw i32, ptr %35, i64 %48
  %72 = load i32, ptr %71, align 4
  store i32 %72, ptr %65, align 1
  br label %90

73:                                               ; preds = %66
  %74 = getelementptr inbounds nuw i32, ptr %35, i64 %48
  %75 = load i32, ptr %74, align 4
  %76 = trunc i32 %75 to i16
  store i16 %76, ptr %65, align 1
  br label %90

77:                                               ; preds = %66
  %78 = getelementptr inbounds nuw i32, ptr %35, i64 %48
  %79 = load i32, ptr %78, align 4
  %80 = trunc i32 %79 to i8
  store i8 %80, ptr %65, align 1
  br label %90

81:                                               ; preds = %68, %81
  %82 = phi i64 [ 0, %68 ], [ %87, %81 ]
  %83 = shl nuw i64 %82, 2
  %84 = getelementptr inbounds nuw i8, ptr %65, i64 %83
  %85 = getelementptr inbounds nuw [64 x i32], ptr %69, i64 %82
  %86 = load i32, ptr %85, align 4
  store i32 %86, ptr %84, align 1
  %87 = add nuw nsw i64 %82, 1
  %88 = icmp eq i64 %87, %40
  br i1 %88, label %89, label %81, !llvm.loop !43

89:                                               ; preds = %81, %67
  br i1 %38, label %147, label %90

90:                                               ; preds = %77, %73, %70, %89
  br label %91

91:                                               ; preds = %90, %91
  %92 = phi i64 [ %97, %91 ], [ 0, %90 ]
  %93 = trunc nuw i64 %92 to i32
  %94 = add i32 %51, %93
  %95 = zext i32 %94 to i64
  %96 = getelementptr inbounds nuw i8, ptr %54, i64 %95
  store i8 1, ptr %96, align 1
  %97 = add nuw nsw i64 %92, 1
  %98 = icmp eq i64 %97, %32
  br i1 %98, label %147, label %91, !llvm.loop !95

99:                                               ; preds = %60
  switch i32 %16, label %100 [
    i32 4, label %103
    i32 2, label %105
    i32 1, label %108
  ]

100:                                              ; preds = %99
  br i1 %37, label %119, label %101

101:                                              ; preds = %100
  %102 = getelementptr inbounds nuw i32, ptr %35, i64 %48
  br label %111

103:                                              ; preds = %99
  %104 = load i32, ptr %65, align 1
  br label %121

105:                                              ; preds = %99
  %106 = load i16, ptr %65, align 1
  %107 = zext i16 %106 to i32
  br label %121

108:                                              ; preds = %99
  %109 = load i8, ptr %65, align 1
  %110 = zext i8 %109 to i32
  br label %121

111:                                              ; preds = %101, %111
  %112 = phi i64 [ 0, %101 ], [ %117, %111 ]
  %113 = getelementptr inbounds nuw [64 x i32], ptr %102, i64 %112
  %114 = shl nuw i64 %112, 2
  %115 = getelementptr inbounds nuw i8, ptr %65, i64 %114
  %116 = load i32, ptr %115, align 1
  store i32 %116, ptr %113, align 4
  %117 = add nuw nsw i64 %112, 1
  %118 = icmp eq i64 %117, %41
  br i1 %118, label %119, label %111, !llvm.loop !31

119:                                              ; preds = %111, %100
  br i1 %38, label %147, label %120

120:                                              ; preds = %121, %119
  br label %126

121:                                              ; preds = %103, %105, %108
  %122 = phi i32 [ %110, %108 ], [ %107, %105 ], [ %104, %103 ]
  %123 = getelementptr inbounds nuw i32, ptr %35, i64 %48
  store i32 %122, ptr %123, align 4
  br label %120

124:                                              ; preds = %126
  %125 = icmp eq i32 %136, 0
  br i1 %125, label %147, label %139

126:                                              ; preds = %120, %126
  %127 = phi i64 [ %137, %126 ], [ 0, %120 ]
  %128 = phi i32 [ %136, %126 ], [ 0, %120 ]
  %129 = trunc nuw i64 %127 to i32
  %130 = add i32 %51, %129
  %131 = zext i32 %130 to i64
  %132 = getelementptr inbounds nuw i8, ptr %54, i64 %131
  %133 = load i8, ptr %132, align 1
  %134 = icmp eq i8 %133, 0
  %135 = zext i1 %134 to i32
  %136 = or i32 %128, %135
  %137 = add nuw nsw i64 %127, 1
  %138 = icmp eq i64 %137, %32
  br i1 %138, label %124, label %126, !llvm.loop !96

139:                                              ; preds = %124
  %140 = load ptr, ptr %39, align 8
  %141 = getelementptr inbounds nuw i8, ptr %140, i64 224
  %142 = load i32, ptr %141, align 8
  %143 = icmp eq i32 %142, 0
  br i1 %143, label %147, label %144

144:                                              ; preds = %139
  %145 = or disjoint i64 %55, 2305843009213693952
  %146 = tail call ptr @kk3_find(ptr noundef nonnull %140, ptr noundef nonnull %0, i32 noundef 6, i32 noundef %2, i64 noundef %145, i32 noundef %49, i64 noundef %32) #18
  br label %147

147:                                              ; preds = %91, %119, %89, %124, %139, %144
  %148 = add i64 %47, -1
  %149 = and i64 %148, %47
  %150 = icmp eq i64 %149, 0
  br i1 %150, label %42, label %46, !llvm.loop !97

151:                                              ; preds = %42
  %152 = add i32 %16, 3
  %153 = lshr i32 %152, 2
  %154 = icmp eq i32 %153, 0
  br i1 %154, label %177, label %155

155:                                              ; preds = %151
  %156 = getelementptr inbounds nuw i8, ptr %9, i64 768
  %157 = zext nneg i32 %153 to i64
  br label %158

158:                                              ; preds = %161, %155
  %159 = phi i64 [ 0, %155 ], [ %162, %161 ]
  %160 = getelementptr inbounds nuw [64 x i32], ptr %156, i64 %159
  br label %164

161:                                              ; preds = %172
  %162 = add nuw nsw i64 %159, 1
  %163 = icmp eq i64 %162, %157
  br i1 %163, label %177, label %158, !llvm.loop !9

164:                                              ; preds = %172, %158
  %165 = phi i64 [ 0, %158 ], [ %175, %172 ]
  %166 = shl nuw i64 1, %165
  %167 = and i64 %166, %1
  %168 = icmp eq i64 %167, 0
  br i1 %168, label %172, label %169

169:                                              ; preds = %164
  %170 = getelementptr inbounds nuw i32, ptr %160, i64 %165
  %171 = load i32, ptr %170, align 4
  br label %172

172:                                              ; preds = %169, %164
  %173 = phi i32 [ %171, %169 ], [ 0, %164 ]
  %174 = getelementptr inbounds nuw i32, ptr %160, i64 %165
  store i32 %173, ptr %174, align 4
  %175 = add nuw nsw i64 %165, 1
  %176 = icmp eq i64 %175, 64
  br i1 %176, label %161, label %164, !llvm.loop !10

177:                                              ; preds = %161, %151, %42
  ret void
}

declare ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #4

define void @kk3_fault(ptr noundef %0, i32 noundef %1, i32 noundef %2, i64 noundef %3, i32 noundef %4, i64 noundef %5) local_unnamed_addr #5 {
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %8 = load ptr, ptr %7, align 8
  %9 = tail call ptr @kk3_find(ptr noundef %8, ptr noundef %0, i32 noundef %1, i32 noundef %2, i64 noundef %3, i32 noundef %4, i64 noundef %5) #18
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 124
  store i32 %2, ptr %10, align 4
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 64
  br label %12

12:                                               ; preds = %12, %6
  %13 = load ptr, ptr %7, align 8
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 248
  store i32 4, ptr %14, align 8
  %15 = load ptr, ptr %7, align 8
  %16 = getelementptr inbounds nuw i8, ptr %15, i64 232
  %17 = load ptr, ptr %16, align 8
  tail call void @kk3_switch(ptr noundef nonnull %11, ptr noundef %17) #19
  br label %12, !llvm.loop !98
}

define void @kk3_atomic(ptr noundef %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %7 = load ptr, ptr %6, align 8
  %8 = zext i32 %2 to i64
  %9 = getelementptr inbounds nuw %struct.Site, ptr %7, i64 %8
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %9, i64 4
  %13 = load i32, ptr %12, align 4
  %14 = icmp eq i64 %1, 0
  br i1 %14, label %38, label %15

15:                                               ; preds = %3
  %16 = getelementptr inbounds nuw i8, ptr %11, i64 768
  %17 = getelementptr inbounds nuw i8, ptr %11, i64 1280
  %18 = icmp eq i32 %13, 8
  %19 = getelementptr inbounds nuw i8, ptr %11, i64 1024
  %20 = getelementptr inbounds nuw i8, ptr %11, i64 1536
  %21 = getelementptr inbounds nuw i8, ptr %11, i64 256
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %23 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %24 = zext i32 %13 to i64
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %26 = getelementptr inbounds nuw i8, ptr %9, i64 12
  %27 = icmp eq i32 %13, 0
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 132
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 136
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %32 = icmp ugt i32 %13, 3
  %33 = shl nsw i32 -1, %13
  %34 = xor i32 %33, -1
  %35 = select i1 %18, i64 8, i64 4
  %36 = getelementptr inbounds nuw i8, ptr %9, i64 24
  %37 = add nsw i64 %24, -1
  br label %50

38:                                               ; preds = %468, %3
  %39 = tail call range(i64 0, 65) i64 @llvm.ctpop.i64(i64 %1)
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %41 = load ptr, ptr %40, align 8
  %42 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %43 = load i32, ptr %42, align 4
  %44 = mul i32 %43, 17
  %45 = add i32 %44, 16
  %46 = zext i32 %45 to i64
  %47 = getelementptr inbounds nuw i64, ptr %41, i64 %46
  %48 = load i64, ptr %47, align 8
  %49 = add i64 %48, %39
  store i64 %49, ptr %47, align 8
  ret void

50:                                               ; preds = %15, %468
  %51 = phi i64 [ %1, %15 ], [ %474, %468 ]
  %52 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %51, i1 true)
  %53 = trunc nuw nsw i64 %52 to i32
  %54 = getelementptr inbounds nuw i32, ptr %16, i64 %52
  %55 = load i32, ptr %54, align 4
  %56 = zext i32 %55 to i64
  %57 = getelementptr inbounds nuw i32, ptr %17, i64 %52
  %58 = load i32, ptr %57, align 4
  %59 = zext i32 %58 to i64
  call void @llvm.lifetime.start.p0(ptr nonnull %4)
  store i64 0, ptr %4, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %5)
  br i1 %18, label %60, label %71

60:                                               ; preds = %50
  %61 = getelementptr inbounds nuw i32, ptr %19, i64 %52
  %62 = load i32, ptr %61, align 4
  %63 = zext i32 %62 to i64
  %64 = shl nuw i64 %63, 32
  %65 = or disjoint i64 %64, %56
  %66 = getelementptr inbounds nuw i32, ptr %20, i64 %52
  %67 = load i32, ptr %66, align 4
  %68 = zext i32 %67 to i64
  %69 = shl nuw i64 %68, 32
  %70 = or disjoint i64 %69, %59
  br label %71

71:                                               ; preds = %60, %50
  %72 = phi i64 [ %70, %60 ], [ %59, %50 ]
  %73 = phi i64 [ %65, %60 ], [ %56, %50 ]
  %74 = load i32, ptr %9, align 4
  %75 = icmp eq i32 %74, 3
  br i1 %75, label %76, label %177

76:                                               ; preds = %71
  %77 = shl nuw i64 1, %52
  %78 = load ptr, ptr %31, align 8
  %79 = load ptr, ptr %78, align 8
  %80 = getelementptr inbounds nuw i8, ptr %79, i64 56
  %81 = load i32, ptr %80, align 8
  %82 = load i32, ptr %12, align 4
  %83 = sub i32 %81, %82
  %84 = icmp ult i32 %81, %82
  br i1 %84, label %107, label %85

85:                                               ; preds = %76
  %86 = load ptr, ptr %10, align 8
  %87 = load i32, ptr %23, align 4
  %88 = add i32 %87, -1
  br label %89

89:                                               ; preds = %85, %89
  %90 = phi i64 [ 0, %85 ], [ %103, %89 ]
  %91 = phi i32 [ 0, %85 ], [ %102, %89 ]
  %92 = getelementptr inbounds nuw i32, ptr %86, i64 %90
  %93 = load i32, ptr %92, align 4
  %94 = lshr i64 %77, %90
  %95 = trunc i64 %94 to i32
  %96 = icmp ugt i32 %93, %83
  %97 = and i32 %88, %93
  %98 = icmp ne i32 %97, 0
  %99 = or i1 %96, %98
  %100 = and i32 %95, 1
  %101 = select i1 %99, i32 %100, i32 0
  %102 = or i32 %101, %91
  %103 = add nuw nsw i64 %90, 1
  %104 = icmp eq i64 %103, 64
  br i1 %104, label %105, label %89, !llvm.loop !52

105:                                              ; preds = %89
  %106 = icmp eq i32 %102, 0
  br i1 %106, label %109, label %107

107:                                              ; preds = %76, %105
  tail call fastcc void @lds_bad(ptr noundef nonnull %0, i64 noundef %77, ptr noundef nonnull %9, i32 noundef %2) #18
  %108 = load ptr, ptr %31, align 8
  br label %109

109:                                              ; preds = %107, %105
  %110 = phi ptr [ %108, %107 ], [ %78, %105 ]
  %111 = getelementptr inbounds nuw i8, ptr %110, i64 88
  %112 = load ptr, ptr %111, align 8
  %113 = getelementptr inbounds nuw i32, ptr %11, i64 %52
  %114 = load i32, ptr %113, align 4
  %115 = zext i32 %114 to i64
  %116 = getelementptr inbounds nuw i8, ptr %112, i64 %115
  %117 = load ptr, ptr %22, align 8
  %118 = getelementptr inbounds nuw i8, ptr %117, i64 224
  %119 = load i32, ptr %118, align 8
  %120 = icmp eq i32 %119, 0
  br i1 %120, label %155, label %121

121:                                              ; preds = %109
  %122 = getelementptr inbounds nuw i8, ptr %110, i64 96
  %123 = load ptr, ptr %122, align 8
  br i1 %32, label %124, label %137

124:                                              ; preds = %121, %124
  %125 = phi i32 [ %135, %124 ], [ 0, %121 ]
  %126 = phi i32 [ %134, %124 ], [ 0, %121 ]
  %127 = add i32 %125, %114
  %128 = lshr i32 %127, 2
  %129 = zext nneg i32 %128 to i64
  %130 = getelementptr inbounds nuw i8, ptr %123, i64 %129
  %131 = load i8, ptr %130, align 1
  %132 = xor i8 %131, 15
  %133 = zext i8 %132 to i32
  %134 = or i32 %126, %133
  %135 = add nuw i32 %125, 4
  %136 = icmp ult i32 %135, %13
  br i1 %136, label %124, label %147, !llvm.loop !69

137:                                              ; preds = %121
  %138 = and i32 %114, 3
  %139 = shl nuw nsw i32 %34, %138
  %140 = lshr i32 %114, 2
  %141 = zext nneg i32 %140 to i64
  %142 = getelementptr inbounds nuw i8, ptr %123, i64 %141
  %143 = load i8, ptr %142, align 1
  %144 = zext i8 %143 to i32
  %145 = xor i32 %144, -1
  %146 = and i32 %139, %145
  br label %147

147:                                              ; preds = %124, %137
  %148 = phi i32 [ %146, %137 ], [ %134, %124 ]
  %149 = icmp eq i32 %148, 0
  br i1 %149, label %155, label %150

150:                                              ; preds = %147
  %151 = or disjoint i64 %115, 4611686018427387904
  %152 = tail call ptr @kk3_find(ptr noundef nonnull %117, ptr noundef nonnull %0, i32 noundef 4, i32 noundef %2, i64 noundef %151, i32 noundef %53, i64 noundef %24) #18
  %153 = load ptr, ptr %31, align 8
  %154 = load i32, ptr %113, align 4
  br label %155

155:                                              ; preds = %150, %147, %109
  %156 = phi i32 [ %154, %150 ], [ %114, %147 ], [ %114, %109 ]
  %157 = phi ptr [ %153, %150 ], [ %110, %147 ], [ %110, %109 ]
  %158 = getelementptr inbounds nuw i8, ptr %157, i64 96
  %159 = load ptr, ptr %158, align 8
  br i1 %32, label %160, label %168

160:                                              ; preds = %155, %160
  %161 = phi i32 [ %166, %160 ], [ 0, %155 ]
  %162 = add i32 %161, %156
  %163 = lshr i32 %162, 2
  %164 = zext nneg i32 %163 to i64
  %165 = getelementptr inbounds nuw i8, ptr %159, i64 %164
  store i8 15, ptr %165, align 1
  %166 = add nuw i32 %161, 4
  %167 = icmp ult i32 %166, %13
  br i1 %167, label %160, label %383, !llvm.loop !92

168:                                              ; preds = %155
  %169 = and i32 %156, 3
  %170 = shl nuw nsw i32 %34, %169
  %171 = lshr i32 %156, 2
  %172 = zext nneg i32 %171 to i64
  %173 = getelementptr inbounds nuw i8, ptr %159, i64 %172
  %174 = load i8, ptr %173, align 1
  %175 = trunc nuw nsw i32 %170 to i8
  %176 = or i8 %174, %175
  store i8 %176, ptr %173, align 1
  br label %383

177:                                              ; preds = %71
  %178 = getelementptr inbounds nuw i64, ptr %21, i64 %52
  %179 = load i64, ptr %178, align 8
  %180 = lshr i64 %179, 36
  %181 = icmp eq i64 %180, 0
  br i1 %181, label %187, label %182

182:                                              ; preds = %177
  %183 = load ptr, ptr %22, align 8
  %184 = getelementptr inbounds nuw i8, ptr %183, i64 8
  %185 = load i64, ptr %184, align 8
  %186 = icmp ult i64 %180, %185
  br i1 %186, label %188, label %187

187:                                              ; preds = %182, %177
  tail call void @kk3_fault(ptr noundef %0, i32 noundef 2, i32 noundef %2, i64 noundef %179, i32 noundef range(i32 0, 64) %53, i64 noundef 0) #18
  unreachable

188:                                              ; preds = %182
  %189 = load ptr, ptr %183, align 8
  %190 = getelementptr inbounds nuw %struct.Region, ptr %189, i64 %180
  %191 = and i64 %179, 68719476735
  %192 = add nuw nsw i64 %191, %24
  %193 = load i64, ptr %190, align 8
  %194 = icmp ugt i64 %192, %193
  br i1 %194, label %195, label %196

195:                                              ; preds = %188
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 1, i32 noundef %2, i64 noundef %179, i32 noundef range(i32 0, 64) %53, i64 noundef %193) #18
  unreachable

196:                                              ; preds = %188
  %197 = load i32, ptr %23, align 4
  %198 = add i32 %197, -1
  %199 = zext i32 %198 to i64
  %200 = and i64 %179, %199
  %201 = icmp eq i64 %200, 0
  br i1 %201, label %204, label %202

202:                                              ; preds = %196
  %203 = zext i32 %197 to i64
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 3, i32 noundef %2, i64 noundef %179, i32 noundef range(i32 0, 64) %53, i64 noundef %203) #18
  unreachable

204:                                              ; preds = %196
  %205 = getelementptr inbounds nuw i8, ptr %190, i64 28
  %206 = load i32, ptr %205, align 4
  %207 = icmp eq i32 %206, 0
  br i1 %207, label %208, label %209

208:                                              ; preds = %204
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 7, i32 noundef %2, i64 noundef %179, i32 noundef %53, i64 noundef %24) #18
  unreachable

209:                                              ; preds = %204
  %210 = getelementptr inbounds nuw i8, ptr %190, i64 24
  %211 = load i32, ptr %210, align 8
  %212 = icmp eq i32 %211, 0
  br i1 %212, label %213, label %217

213:                                              ; preds = %209
  %214 = getelementptr inbounds nuw i8, ptr %190, i64 8
  %215 = load ptr, ptr %214, align 8
  %216 = getelementptr inbounds nuw i8, ptr %215, i64 %191
  br label %251

217:                                              ; preds = %209
  %218 = zext nneg i32 %211 to i64
  %219 = lshr i64 %191, %218
  %220 = getelementptr inbounds nuw i8, ptr %190, i64 16
  %221 = load ptr, ptr %220, align 8
  %222 = getelementptr inbounds nuw ptr, ptr %221, i64 %219
  %223 = load ptr, ptr %222, align 8
  %224 = icmp eq ptr %223, null
  br i1 %224, label %225, label %243

225:                                              ; preds = %217, %225
  %226 = load ptr, ptr %22, align 8
  %227 = getelementptr inbounds nuw i8, ptr %226, i64 256
  store i64 %180, ptr %227, align 8
  %228 = load ptr, ptr %22, align 8
  %229 = getelementptr inbounds nuw i8, ptr %228, i64 264
  store i64 %219, ptr %229, align 8
  %230 = load ptr, ptr %22, align 8
  %231 = getelementptr inbounds nuw i8, ptr %230, i64 248
  store i32 5, ptr %231, align 8
  %232 = load ptr, ptr %22, align 8
  %233 = getelementptr inbounds nuw i8, ptr %232, i64 232
  %234 = load ptr, ptr %233, align 8
  tail call void @kk3_switch(ptr noundef nonnull %25, ptr noundef %234) #19
  %235 = load ptr, ptr %220, align 8
  %236 = getelementptr inbounds nuw ptr, ptr %235, i64 %219
  %237 = load ptr, ptr %236, align 8
  %238 = icmp eq ptr %237, null
  br i1 %238, label %225, label %239, !llvm.loop !12

239:                                              ; preds = %225
  %240 = load i32, ptr %210, align 8
  %241 = load ptr, ptr %22, align 8
  %242 = zext nneg i32 %240 to i64
  br label %243

243:                                              ; preds = %239, %217
  %244 = phi i64 [ %242, %239 ], [ %218, %217 ]
  %245 = phi ptr [ %241, %239 ], [ %183, %217 ]
  %246 = phi ptr [ %237, %239 ], [ %223, %217 ]
  %247 = shl nsw i64 -1, %244
  %248 = xor i64 %247, -1
  %249 = and i64 %191, %248
  %250 = getelementptr inbounds nuw i8, ptr %246, i64 %249
  br label %251

251:                                              ; preds = %213, %243
  %252 = phi ptr [ %245, %243 ], [ %183, %213 ]
  %253 = phi ptr [ %250, %243 ], [ %216, %213 ]
  %254 = getelementptr inbounds nuw i8, ptr %252, i64 220
  %255 = load i32, ptr %254, align 4
  %256 = icmp eq i32 %255, 0
  br i1 %256, label %260, label %257

257:                                              ; preds = %251
  %258 = load i32, ptr %26, align 4
  tail call void @kk3_san_load(ptr noundef nonnull %0, i64 noundef %179, i32 noundef %13, i32 noundef %258, i32 noundef %2, i32 noundef %53) #18
  %259 = load i32, ptr %26, align 4
  tail call void @kk3_san_store(ptr noundef nonnull %0, i64 noundef %179, i32 noundef %13, i32 noundef %259, i32 noundef %2, i32 noundef %53) #18
  br label %260

260:                                              ; preds = %257, %251
  %261 = getelementptr inbounds nuw i8, ptr %190, i64 36
  %262 = load i32, ptr %261, align 4
  %263 = icmp eq i32 %262, 0
  br i1 %263, label %286, label %264

264:                                              ; preds = %260
  %265 = getelementptr inbounds nuw i8, ptr %190, i64 40
  %266 = load ptr, ptr %265, align 8
  %267 = icmp eq ptr %266, null
  br i1 %267, label %268, label %273

268:                                              ; preds = %264
  %269 = load i64, ptr %190, align 8
  %270 = lshr i64 %269, 3
  %271 = add nuw nsw i64 %270, 1
  %272 = tail call ptr @calloc(i64 noundef %271, i64 noundef 1) #19
  store ptr %272, ptr %265, align 8
  br label %273

273:                                              ; preds = %268, %264
  br i1 %27, label %286, label %274

274:                                              ; preds = %273, %274
  %275 = phi i64 [ %284, %274 ], [ %191, %273 ]
  %276 = trunc i64 %275 to i8
  %277 = and i8 %276, 7
  %278 = shl nuw i8 1, %277
  %279 = load ptr, ptr %265, align 8
  %280 = lshr i64 %275, 3
  %281 = getelementptr inbounds nuw i8, ptr %279, i64 %280
  %282 = load i8, ptr %281, align 1
  %283 = or i8 %278, %282
  store i8 %283, ptr %281, align 1
  %284 = add nuw nsw i64 %275, 1
  %285 = icmp samesign ult i64 %284, %192
  br i1 %285, label %274, label %286, !llvm.loop !45

286:                                              ; preds = %274, %273, %260
  %287 = lshr i64 %179, 9
  %288 = lshr i64 %179, 22
  %289 = xor i64 %287, %288
  %290 = xor i64 %289, %180
  %291 = trunc i64 %290 to i32
  %292 = and i32 %291, 8191
  %293 = trunc nuw nsw i32 %292 to i16
  %294 = load i32, ptr %28, align 4
  %295 = icmp ugt i32 %294, 48
  br i1 %295, label %327, label %296

296:                                              ; preds = %286
  %297 = icmp eq i32 %294, 0
  br i1 %297, label %305, label %298

298:                                              ; preds = %296
  %299 = zext nneg i32 %294 to i64
  %300 = getelementptr i16, ptr %0, i64 %299
  %301 = getelementptr i8, ptr %300, i64 142
  %302 = load i16, ptr %301, align 2
  %303 = zext i16 %302 to i32
  %304 = icmp eq i32 %292, %303
  br i1 %304, label %327, label %309

305:                                              ; preds = %296
  %306 = load ptr, ptr %22, align 8
  %307 = getelementptr inbounds nuw i8, ptr %306, i64 168
  %308 = load i64, ptr %307, align 8
  store i64 %308, ptr %29, align 8
  br label %322

309:                                              ; preds = %298
  %310 = zext nneg i32 %294 to i64
  br label %314

311:                                              ; preds = %314
  %312 = add nuw nsw i64 %315, 1
  %313 = icmp eq i64 %312, %310
  br i1 %313, label %320, label %314, !llvm.loop !33

314:                                              ; preds = %309, %311
  %315 = phi i64 [ 0, %309 ], [ %312, %311 ]
  %316 = getelementptr inbounds nuw i16, ptr %30, i64 %315
  %317 = load i16, ptr %316, align 2
  %318 = zext i16 %317 to i32
  %319 = icmp eq i32 %292, %318
  br i1 %319, label %327, label %311

320:                                              ; preds = %311
  %321 = icmp eq i32 %294, 48
  br i1 %321, label %325, label %322

322:                                              ; preds = %305, %320
  %323 = zext nneg i32 %294 to i64
  %324 = getelementptr inbounds nuw i16, ptr %30, i64 %323
  store i16 %293, ptr %324, align 2
  br label %325

325:                                              ; preds = %322, %320
  %326 = add nuw nsw i32 %294, 1
  store i32 %326, ptr %28, align 4
  br label %327

327:                                              ; preds = %314, %286, %298, %325
  %328 = getelementptr inbounds nuw i8, ptr %190, i64 56
  %329 = load ptr, ptr %328, align 8
  %330 = icmp eq ptr %329, null
  br i1 %330, label %347, label %331

331:                                              ; preds = %327
  %332 = lshr i64 %191, 16
  %333 = getelementptr inbounds nuw ptr, ptr %329, i64 %332
  %334 = load ptr, ptr %333, align 8
  %335 = icmp eq ptr %334, null
  br i1 %335, label %347, label %336

336:                                              ; preds = %331
  %337 = lshr i64 %179, 3
  %338 = and i64 %337, 8191
  %339 = getelementptr inbounds nuw i16, ptr %334, i64 %338
  %340 = load i16, ptr %339, align 2
  %341 = zext i16 %340 to i32
  %342 = load ptr, ptr %31, align 8
  %343 = getelementptr inbounds nuw i8, ptr %342, i64 36
  %344 = load i32, ptr %343, align 4
  %345 = icmp ult i32 %344, %341
  br i1 %345, label %346, label %347

346:                                              ; preds = %336
  store i32 %341, ptr %343, align 4
  br label %347

347:                                              ; preds = %331, %327, %336, %346
  br i1 %27, label %383, label %348

348:                                              ; preds = %347, %376
  %349 = phi i32 [ %381, %376 ], [ 0, %347 ]
  %350 = load ptr, ptr %31, align 8
  %351 = getelementptr inbounds nuw i8, ptr %350, i64 36
  %352 = load i32, ptr %351, align 4
  %353 = trunc i32 %352 to i16
  %354 = add i16 %353, 1
  %355 = zext i32 %349 to i64
  %356 = add nuw nsw i64 %191, %355
  %357 = load ptr, ptr %328, align 8
  %358 = icmp eq ptr %357, null
  br i1 %358, label %359, label %368

359:                                              ; preds = %348
  %360 = load i64, ptr %190, align 8
  %361 = lshr i64 %360, 16
  %362 = add nuw nsw i64 %361, 1
  %363 = tail call ptr @calloc(i64 noundef %362, i64 noundef 8) #19
  store ptr %363, ptr %328, align 8
  %364 = lshr i64 %356, 16
  %365 = getelementptr inbounds nuw ptr, ptr %363, i64 %364
  %366 = load ptr, ptr %365, align 8
  %367 = icmp eq ptr %366, null
  br i1 %367, label %373, label %376

368:                                              ; preds = %348
  %369 = lshr i64 %356, 16
  %370 = getelementptr inbounds nuw ptr, ptr %357, i64 %369
  %371 = load ptr, ptr %370, align 8
  %372 = icmp eq ptr %371, null
  br i1 %372, label %373, label %376

373:                                              ; preds = %368, %359
  %374 = phi ptr [ %365, %359 ], [ %370, %368 ]
  %375 = tail call ptr @calloc(i64 noundef 8192, i64 noundef 2) #19
  store ptr %375, ptr %374, align 8
  br label %376

376:                                              ; preds = %368, %359, %373
  %377 = phi ptr [ %366, %359 ], [ %375, %373 ], [ %371, %368 ]
  %378 = lshr i64 %356, 3
  %379 = and i64 %378, 8191
  %380 = getelementptr inbounds nuw i16, ptr %377, i64 %379
  store i16 %354, ptr %380, align 2
  %381 = add i32 %349, 8
  %382 = icmp ult i32 %381, %13
  br i1 %382, label %348, label %383, !llvm.loop !46

383:                                              ; preds = %376, %160, %347, %168
  %384 = phi ptr [ %116, %168 ], [ %253, %347 ], [ %116, %160 ], [ %253, %376 ]
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(4) %4, ptr noundef nonnull align 1 dereferenceable(4) %384, i64 %35, i1 false)
  %385 = load i32, ptr %36, align 4
  %386 = load i64, ptr %4, align 8
  %387 = trunc i64 %386 to i32
  %388 = shl i64 %386, 32
  %389 = ashr exact i64 %388, 32
  %390 = select i1 %18, i64 %386, i64 %389
  %391 = trunc i64 %73 to i32
  %392 = shl i64 %73, 32
  %393 = ashr exact i64 %392, 32
  %394 = select i1 %18, i64 %73, i64 %393
  switch i32 %385, label %434 [
    i32 0, label %435
    i32 1, label %395
    i32 2, label %397
    i32 3, label %399
    i32 4, label %401
    i32 5, label %403
    i32 6, label %405
    i32 7, label %408
    i32 8, label %411
    i32 9, label %413
    i32 10, label %415
    i32 11, label %421
    i32 12, label %426
    i32 13, label %431
  ]

395:                                              ; preds = %383
  %396 = add i64 %386, %73
  br label %435

397:                                              ; preds = %383
  %398 = sub i64 %386, %73
  br label %435

399:                                              ; preds = %383
  %400 = and i64 %386, %73
  br label %435

401:                                              ; preds = %383
  %402 = or i64 %386, %73
  br label %435

403:                                              ; preds = %383
  %404 = xor i64 %386, %73
  br label %435

405:                                              ; preds = %383
  %406 = icmp sgt i64 %390, %394
  %407 = select i1 %406, i64 %386, i64 %73
  br label %435

408:                                              ; preds = %383
  %409 = icmp slt i64 %390, %394
  %410 = select i1 %409, i64 %386, i64 %73
  br label %435

411:                                              ; preds = %383
  %412 = tail call i64 @llvm.umax.i64(i64 %386, i64 %73)
  br label %435

413:                                              ; preds = %383
  %414 = tail call i64 @llvm.umin.i64(i64 %386, i64 %73)
  br label %435

415:                                              ; preds = %383
  %416 = bitcast i32 %387 to float
  %417 = bitcast i32 %391 to float
  %418 = fadd float %417, %416
  %419 = bitcast float %418 to i32
  %420 = zext i32 %419 to i64
  br label %435

421:                                              ; preds = %383
  %422 = bitcast i32 %387 to float
  %423 = bitcast i32 %391 to float
  %424 = fcmp ogt float %422, %423
  %425 = select i1 %424, i64 %386, i64 %73
  br label %435

426:                                              ; preds = %383
  %427 = bitcast i32 %387 to float
  %428 = bitcast i32 %391 to float
  %429 = fcmp olt float %427, %428
  %430 = select i1 %429, i64 %386, i64 %73
  br label %435

431:                                              ; preds = %383
  %432 = icmp eq i64 %386, %72
  %433 = select i1 %432, i64 %73, i64 %386
  br label %435

434:                                              ; preds = %383
  br label %435

435:                                              ; preds = %383, %395, %397, %399, %401, %403, %405, %408, %411, %413, %415, %421, %426, %431, %434
  %436 = phi i64 [ %386, %434 ], [ %433, %431 ], [ %396, %395 ], [ %398, %397 ], [ %400, %399 ], [ %402, %401 ], [ %404, %403 ], [ %407, %405 ], [ %410, %408 ], [ %412, %411 ], [ %414, %413 ], [ %420, %415 ], [ %425, %421 ], [ %430, %426 ], [ %73, %383 ]
  store i64 %436, ptr %5, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(4) %384, ptr noundef nonnull align 8 dereferenceable(4) %5, i64 %35, i1 false)
  %437 = load i32, ptr %9, align 4
  %438 = icmp eq i32 %437, 3
  %439 = load i64, ptr %4, align 8
  %440 = load i64, ptr %5, align 8
  %441 = icmp eq i64 %440, %439
  %442 = select i1 %438, i1 true, i1 %441
  br i1 %442, label %468, label %443

443:                                              ; preds = %435
  %444 = getelementptr inbounds nuw i64, ptr %21, i64 %52
  %445 = load i64, ptr %444, align 8
  %446 = load ptr, ptr %22, align 8
  %447 = getelementptr inbounds nuw i8, ptr %446, i64 168
  %448 = load i64, ptr %447, align 8
  %449 = add i64 %448, 1
  store i64 %449, ptr %447, align 8
  %450 = getelementptr inbounds nuw i8, ptr %446, i64 296
  %451 = load ptr, ptr %450, align 8
  %452 = lshr i64 %445, 9
  %453 = lshr i64 %445, 22
  %454 = xor i64 %452, %453
  %455 = lshr i64 %445, 36
  %456 = xor i64 %454, %455
  %457 = and i64 %456, 8191
  %458 = getelementptr inbounds nuw i64, ptr %451, i64 %457
  store i64 %449, ptr %458, align 8
  %459 = load ptr, ptr %450, align 8
  %460 = add i64 %37, %445
  %461 = lshr i64 %460, 9
  %462 = lshr i64 %460, 22
  %463 = xor i64 %461, %462
  %464 = lshr i64 %460, 36
  %465 = xor i64 %463, %464
  %466 = and i64 %465, 8191
  %467 = getelementptr inbounds nuw i64, ptr %459, i64 %466
  store i64 %449, ptr %467, align 8
  br label %468

468:                                              ; preds = %443, %435
  %469 = trunc i64 %439 to i32
  store i32 %469, ptr %54, align 4
  %470 = lshr i64 %439, 32
  %471 = trunc nuw i64 %470 to i32
  %472 = getelementptr inbounds nuw i32, ptr %19, i64 %52
  store i32 %471, ptr %472, align 4
  call void @llvm.lifetime.end.p0(ptr nonnull %5)
  call void @llvm.lifetime.end.p0(ptr nonnull %4)
  %473 = add i64 %51, -1
  %474 = and i64 %473, %51
  %475 = icmp eq i64 %474, 0
  br i1 %475, label %38, label %50, !llvm.loop !99
}

define void @kk3_san_load(ptr noundef captures(address_is_null) %0, i64 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %8 = load ptr, ptr %7, align 8
  %9 = load ptr, ptr %8, align 8
  %10 = lshr i64 %1, 36
  %11 = getelementptr inbounds nuw %struct.Region, ptr %9, i64 %10
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 28
  %13 = load i32, ptr %12, align 4
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %320, label %15

15:                                               ; preds = %6
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %17 = load ptr, ptr %16, align 8
  %18 = zext i32 %4 to i64
  %19 = getelementptr inbounds nuw %struct.Site, ptr %17, i64 %18
  %20 = getelementptr inbounds nuw i8, ptr %19, i64 20
  %21 = load i32, ptr %20, align 4
  %22 = and i64 %1, 68719476735
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %24 = load i32, ptr %23, align 8
  %25 = add i32 %24, 1
  store i32 %25, ptr %23, align 8
  %26 = and i64 %1, 68719476732
  %27 = zext i32 %2 to i64
  %28 = add nuw nsw i64 %22, %27
  %29 = icmp samesign ult i64 %26, %28
  br i1 %29, label %30, label %39

30:                                               ; preds = %15
  %31 = and i32 %21, 3
  %32 = getelementptr inbounds nuw i8, ptr %11, i64 48
  %33 = and i64 %1, -68719476736
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %35 = icmp eq i32 %31, 0
  %36 = and i32 %21, 2
  %37 = icmp eq i32 %36, 0
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 32
  br label %42

39:                                               ; preds = %275, %15
  %40 = and i32 %3, 16
  %41 = icmp eq i32 %40, 0
  br i1 %41, label %278, label %320

42:                                               ; preds = %30, %275
  %43 = phi i64 [ %26, %30 ], [ %276, %275 ]
  %44 = load ptr, ptr %32, align 8
  %45 = icmp eq ptr %44, null
  br i1 %45, label %275, label %46

46:                                               ; preds = %42
  %47 = lshr i64 %43, 12
  %48 = getelementptr inbounds nuw ptr, ptr %44, i64 %47
  %49 = load ptr, ptr %48, align 8
  %50 = icmp eq ptr %49, null
  br i1 %50, label %275, label %51

51:                                               ; preds = %46
  %52 = lshr exact i64 %43, 2
  %53 = and i64 %52, 1023
  %54 = getelementptr inbounds nuw %struct.Shadow, ptr %49, i64 %53
  %55 = load i32, ptr %54, align 4
  %56 = icmp eq i32 %55, 0
  br i1 %56, label %275, label %57

57:                                               ; preds = %51
  %58 = or i64 %43, %33
  %59 = add i32 %55, -1
  %60 = lshr i32 %59, 4
  %61 = and i32 %59, 15
  %62 = load ptr, ptr @sans, align 8
  %63 = zext nneg i32 %60 to i64
  %64 = getelementptr inbounds nuw ptr, ptr %62, i64 %63
  %65 = load ptr, ptr %64, align 8
  %66 = load ptr, ptr %34, align 8
  %67 = getelementptr inbounds nuw i8, ptr %66, i64 8
  %68 = load i32, ptr %67, align 8
  %69 = icmp eq i32 %60, %68
  br i1 %69, label %262, label %70

70:                                               ; preds = %57
  %71 = getelementptr inbounds nuw i8, ptr %65, i64 856
  %72 = load ptr, ptr %71, align 8
  %73 = load ptr, ptr %66, align 8
  %74 = icmp eq ptr %72, %73
  br i1 %74, label %87, label %75

75:                                               ; preds = %70
  %76 = getelementptr inbounds nuw i8, ptr %65, i64 864
  %77 = load i32, ptr %76, align 8
  %78 = getelementptr inbounds nuw i8, ptr %66, i64 56
  %79 = load i32, ptr %78, align 8
  %80 = icmp eq i32 %77, %79
  br i1 %80, label %81, label %87

81:                                               ; preds = %75
  %82 = getelementptr inbounds nuw i8, ptr %72, i64 88
  %83 = load i32, ptr %82, align 8
  %84 = getelementptr inbounds nuw i8, ptr %72, i64 48
  %85 = load i32, ptr %84, align 8
  %86 = icmp eq i32 %83, %85
  br i1 %86, label %262, label %87

87:                                               ; preds = %70, %75, %81
  br i1 %35, label %216, label %88

88:                                               ; preds = %87
  br i1 %37, label %89, label %97

89:                                               ; preds = %88
  tail call fastcc void @check_load_scope(ptr noundef nonnull %0, ptr noundef %54, ptr noundef nonnull %65, i64 noundef %58, i32 noundef %3, i32 noundef %4, i32 noundef %5) #18
  %90 = load i32, ptr %54, align 4
  %91 = load ptr, ptr %34, align 8
  %92 = getelementptr inbounds nuw i8, ptr %91, i64 8
  %93 = load i32, ptr %92, align 8
  %94 = add i32 %90, -1
  %95 = lshr i32 %94, 4
  %96 = and i32 %94, 15
  br label %97

97:                                               ; preds = %89, %88
  %98 = phi i32 [ %96, %89 ], [ %61, %88 ]
  %99 = phi i32 [ %95, %89 ], [ %60, %88 ]
  %100 = phi i32 [ %93, %89 ], [ %68, %88 ]
  %101 = getelementptr inbounds nuw i8, ptr %54, i64 4
  %102 = load i32, ptr %101, align 4
  %103 = icmp eq i32 %99, %100
  br i1 %103, label %275, label %104

104:                                              ; preds = %97
  %105 = load ptr, ptr @sans, align 8
  %106 = zext i32 %100 to i64
  %107 = getelementptr inbounds nuw ptr, ptr %105, i64 %106
  %108 = load ptr, ptr %107, align 8
  %109 = load i32, ptr %108, align 8
  %110 = icmp eq i32 %109, 0
  br i1 %110, label %146, label %111

111:                                              ; preds = %104
  %112 = mul i32 %99, -1640531535
  %113 = add i32 %109, -1
  %114 = getelementptr inbounds nuw i8, ptr %108, i64 16
  %115 = load ptr, ptr %114, align 8
  %116 = and i32 %113, %112
  %117 = zext i32 %116 to i64
  %118 = getelementptr inbounds nuw ptr, ptr %115, i64 %117
  %119 = load ptr, ptr %118, align 8
  %120 = icmp eq ptr %119, null
  br i1 %120, label %146, label %121

121:                                              ; preds = %111
  %122 = getelementptr inbounds nuw i8, ptr %108, i64 8
  %123 = load ptr, ptr %122, align 8
  %124 = getelementptr inbounds nuw i32, ptr %123, i64 %117
  %125 = load i32, ptr %124, align 4
  %126 = icmp eq i32 %125, %99
  br i1 %126, label %139, label %127

127:                                              ; preds = %121, %135
  %128 = phi i32 [ %130, %135 ], [ %116, %121 ]
  %129 = add nuw i32 %128, 1
  %130 = and i32 %129, %113
  %131 = zext i32 %130 to i64
  %132 = getelementptr inbounds nuw ptr, ptr %115, i64 %131
  %133 = load ptr, ptr %132, align 8
  %134 = icmp eq ptr %133, null
  br i1 %134, label %146, label %135, !llvm.loop !100

135:                                              ; preds = %127
  %136 = getelementptr inbounds nuw i32, ptr %123, i64 %131
  %137 = load i32, ptr %136, align 4
  %138 = icmp eq i32 %137, %99
  br i1 %138, label %139, label %127, !llvm.loop !100

139:                                              ; preds = %135, %121
  %140 = phi ptr [ %119, %121 ], [ %133, %135 ]
  %141 = getelementptr inbounds nuw i8, ptr %140, i64 64
  %142 = zext nneg i32 %98 to i64
  %143 = getelementptr inbounds nuw i32, ptr %141, i64 %142
  %144 = load i32, ptr %143, align 4
  %145 = icmp ult i32 %144, %102
  br i1 %145, label %146, label %275

146:                                              ; preds = %127, %139, %111, %104
  %147 = getelementptr inbounds nuw i8, ptr %108, i64 24
  %148 = load i32, ptr %38, align 8
  %149 = zext i32 %148 to i64
  %150 = getelementptr inbounds nuw %struct.Map, ptr %147, i64 %149
  %151 = tail call fastcc ptr @need(ptr noundef nonnull %150, i32 noundef %99) #18
  %152 = getelementptr inbounds nuw i8, ptr %151, i64 64
  %153 = zext nneg i32 %98 to i64
  %154 = getelementptr inbounds nuw i32, ptr %152, i64 %153
  %155 = load i32, ptr %154, align 4
  %156 = icmp ult i32 %155, %102
  br i1 %156, label %157, label %275

157:                                              ; preds = %146
  %158 = load ptr, ptr @sans, align 8
  %159 = zext nneg i32 %99 to i64
  %160 = getelementptr inbounds nuw ptr, ptr %158, i64 %159
  %161 = load ptr, ptr %160, align 8
  %162 = getelementptr inbounds nuw i8, ptr %161, i64 536
  %163 = getelementptr inbounds nuw i32, ptr %162, i64 %153
  %164 = load i32, ptr %163, align 4
  %165 = icmp eq i32 %164, 0
  br i1 %165, label %212, label %166

166:                                              ; preds = %157
  %167 = getelementptr inbounds nuw i8, ptr %161, i64 408
  %168 = getelementptr inbounds nuw ptr, ptr %167, i64 %153
  %169 = load ptr, ptr %168, align 8
  br label %170

170:                                              ; preds = %170, %166
  %171 = phi i32 [ 0, %166 ], [ %181, %170 ]
  %172 = phi i32 [ %164, %166 ], [ %180, %170 ]
  %173 = add i32 %172, %171
  %174 = lshr i32 %173, 1
  %175 = zext nneg i32 %174 to i64
  %176 = getelementptr inbounds nuw %struct.Snapshot, ptr %169, i64 %175
  %177 = load i32, ptr %176, align 4
  %178 = icmp ugt i32 %177, %102
  %179 = add nuw i32 %174, 1
  %180 = select i1 %178, i32 %174, i32 %172
  %181 = select i1 %178, i32 %171, i32 %179
  %182 = icmp ult i32 %181, %180
  br i1 %182, label %170, label %183, !llvm.loop !101

183:                                              ; preds = %170
  %184 = icmp eq i32 %181, 0
  br i1 %184, label %212, label %185

185:                                              ; preds = %183
  %186 = add i32 %181, -1
  %187 = zext nneg i32 %186 to i64
  %188 = getelementptr inbounds nuw %struct.Snapshot, ptr %169, i64 %187
  %189 = getelementptr inbounds nuw i8, ptr %188, i64 4
  br label %190

190:                                              ; preds = %190, %185
  %191 = phi i64 [ 0, %185 ], [ %197, %190 ]
  %192 = getelementptr inbounds nuw i32, ptr %189, i64 %191
  %193 = load i32, ptr %192, align 4
  %194 = getelementptr inbounds nuw i32, ptr %151, i64 %191
  %195 = load i32, ptr %194, align 4
  %196 = tail call i32 @llvm.umax.i32(i32 %193, i32 %195)
  store i32 %196, ptr %194, align 4
  %197 = add nuw nsw i64 %191, 1
  %198 = icmp eq i64 %197, 16
  br i1 %198, label %199, label %190, !llvm.loop !102

199:                                              ; preds = %190
  %200 = getelementptr inbounds nuw i8, ptr %188, i64 68
  br label %201

201:                                              ; preds = %201, %199
  %202 = phi i64 [ 0, %199 ], [ %208, %201 ]
  %203 = getelementptr inbounds nuw i32, ptr %200, i64 %202
  %204 = load i32, ptr %203, align 4
  %205 = getelementptr inbounds nuw i32, ptr %152, i64 %202
  %206 = load i32, ptr %205, align 4
  %207 = tail call i32 @llvm.umax.i32(i32 %204, i32 %206)
  store i32 %207, ptr %205, align 4
  %208 = add nuw nsw i64 %202, 1
  %209 = icmp eq i64 %208, 16
  br i1 %209, label %210, label %201, !llvm.loop !102

210:                                              ; preds = %201
  %211 = load i32, ptr %154, align 4
  br label %212

212:                                              ; preds = %210, %183, %157
  %213 = phi i32 [ %211, %210 ], [ %155, %157 ], [ %155, %183 ]
  %214 = icmp ult i32 %213, %102
  br i1 %214, label %215, label %275

215:                                              ; preds = %212
  store i32 %102, ptr %154, align 4
  br label %275

216:                                              ; preds = %87
  %217 = getelementptr inbounds nuw i8, ptr %54, i64 4
  %218 = load i32, ptr %217, align 4
  %219 = tail call fastcc i32 @knows(ptr noundef nonnull %0, i32 noundef %60, i32 noundef %61, i32 noundef %218) #18
  switch i32 %219, label %221 [
    i32 2, label %220
    i32 1, label %226
  ]

220:                                              ; preds = %216
  tail call fastcc void @check_load_scope(ptr noundef nonnull %0, ptr noundef %54, ptr noundef nonnull %65, i64 noundef %58, i32 noundef %3, i32 noundef %4, i32 noundef %5) #18
  br label %263

221:                                              ; preds = %216
  %222 = getelementptr inbounds nuw i8, ptr %54, i64 20
  %223 = load i32, ptr %222, align 4
  %224 = icmp ugt i32 %223, 1
  %225 = select i1 %224, i32 17, i32 12
  br label %226

226:                                              ; preds = %216, %221
  %227 = phi i32 [ %225, %221 ], [ 13, %216 ]
  %228 = load i32, ptr %54, align 4
  %229 = getelementptr inbounds nuw i8, ptr %54, i64 8
  %230 = load i32, ptr %229, align 4
  %231 = load ptr, ptr %7, align 8
  %232 = tail call ptr @kk3_find(ptr noundef %231, ptr noundef nonnull readonly %0, i32 noundef range(i32 12, 19) %227, i32 noundef %4, i64 noundef %58, i32 noundef %5, i64 noundef 0) #18
  %233 = icmp ne ptr %232, null
  %234 = icmp ne i32 %228, 0
  %235 = and i1 %234, %233
  br i1 %235, label %236, label %263

236:                                              ; preds = %226
  %237 = load ptr, ptr @sans, align 8
  %238 = add i32 %228, -1
  %239 = lshr i32 %238, 4
  %240 = zext nneg i32 %239 to i64
  %241 = getelementptr inbounds nuw ptr, ptr %237, i64 %240
  %242 = load ptr, ptr %241, align 8
  %243 = getelementptr inbounds nuw i8, ptr %232, i64 8
  store i32 %230, ptr %243, align 8
  %244 = getelementptr inbounds nuw i8, ptr %232, i64 32
  store i32 %239, ptr %244, align 8
  %245 = getelementptr inbounds nuw i8, ptr %242, i64 856
  %246 = load ptr, ptr %245, align 8
  %247 = getelementptr inbounds nuw i8, ptr %246, i64 64
  %248 = load i32, ptr %247, align 8
  %249 = getelementptr inbounds nuw i8, ptr %232, i64 16
  store i32 %248, ptr %249, align 8
  %250 = getelementptr inbounds nuw i8, ptr %242, i64 864
  %251 = load i32, ptr %250, align 8
  %252 = getelementptr inbounds nuw i8, ptr %232, i64 44
  store i32 %251, ptr %252, align 4
  %253 = getelementptr inbounds nuw i8, ptr %242, i64 872
  %254 = getelementptr inbounds nuw i8, ptr %232, i64 84
  br label %255

255:                                              ; preds = %255, %236
  %256 = phi i64 [ 0, %236 ], [ %260, %255 ]
  %257 = getelementptr inbounds nuw i32, ptr %253, i64 %256
  %258 = load i32, ptr %257, align 4
  %259 = getelementptr inbounds nuw i32, ptr %254, i64 %256
  store i32 %258, ptr %259, align 4
  %260 = add nuw nsw i64 %256, 1
  %261 = icmp eq i64 %260, 3
  br i1 %261, label %263, label %255, !llvm.loop !75

262:                                              ; preds = %57, %81
  br i1 %35, label %263, label %275

263:                                              ; preds = %255, %220, %226, %262
  %264 = load ptr, ptr %34, align 8
  %265 = getelementptr inbounds nuw i8, ptr %264, i64 8
  %266 = load i32, ptr %265, align 8
  %267 = shl i32 %266, 4
  %268 = load i32, ptr %38, align 8
  %269 = or i32 %267, %268
  %270 = add i32 %269, 1
  %271 = getelementptr inbounds nuw i8, ptr %54, i64 24
  store i32 %270, ptr %271, align 4
  %272 = load i32, ptr %23, align 8
  %273 = getelementptr inbounds nuw i8, ptr %54, i64 28
  store i32 %272, ptr %273, align 4
  %274 = getelementptr inbounds nuw i8, ptr %54, i64 32
  store i32 %4, ptr %274, align 4
  br label %275

275:                                              ; preds = %46, %42, %215, %212, %146, %139, %97, %263, %262, %51
  %276 = add nuw nsw i64 %43, 4
  %277 = icmp samesign ult i64 %276, %28
  br i1 %277, label %42, label %39, !llvm.loop !103

278:                                              ; preds = %39
  %279 = load ptr, ptr @lines, align 8
  %280 = getelementptr inbounds nuw ptr, ptr %279, i64 %10
  %281 = load ptr, ptr %280, align 8
  %282 = icmp eq ptr %281, null
  br i1 %282, label %283, label %292

283:                                              ; preds = %278
  %284 = load ptr, ptr %8, align 8
  %285 = getelementptr inbounds nuw %struct.Region, ptr %284, i64 %10
  %286 = load i64, ptr %285, align 8
  %287 = lshr i64 %286, 16
  %288 = add nuw nsw i64 %287, 1
  %289 = tail call ptr @calloc(i64 noundef %288, i64 noundef 8) #19
  %290 = load ptr, ptr @lines, align 8
  %291 = getelementptr inbounds nuw ptr, ptr %290, i64 %10
  store ptr %289, ptr %291, align 8
  br label %292

292:                                              ; preds = %283, %278
  %293 = phi ptr [ %289, %283 ], [ %281, %278 ]
  %294 = lshr i64 %1, 16
  %295 = and i64 %294, 1048575
  %296 = getelementptr inbounds nuw ptr, ptr %293, i64 %295
  %297 = load ptr, ptr %296, align 8
  %298 = icmp eq ptr %297, null
  br i1 %298, label %299, label %301

299:                                              ; preds = %292
  %300 = tail call ptr @calloc(i64 noundef 512, i64 noundef 16) #19
  store ptr %300, ptr %296, align 8
  br label %301

301:                                              ; preds = %292, %299
  %302 = phi ptr [ %300, %299 ], [ %297, %292 ]
  %303 = lshr i64 %1, 7
  %304 = and i64 %303, 511
  %305 = getelementptr inbounds nuw %struct.Line, ptr %302, i64 %304
  %306 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %307 = load ptr, ptr %306, align 8
  %308 = getelementptr inbounds nuw i8, ptr %307, i64 56
  %309 = load i32, ptr %308, align 8
  %310 = shl i32 %309, 3
  %311 = and i32 %310, 56
  %312 = getelementptr inbounds nuw i8, ptr %307, i64 52
  %313 = load i32, ptr %312, align 4
  %314 = and i32 %313, 7
  %315 = or disjoint i32 %311, %314
  %316 = zext nneg i32 %315 to i64
  %317 = shl nuw i64 1, %316
  %318 = load i64, ptr %305, align 8
  %319 = or i64 %317, %318
  store i64 %319, ptr %305, align 8
  br label %320

320:                                              ; preds = %39, %301, %6
  ret void
}

define void @kk3_san_store(ptr noundef %0, i64 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) local_unnamed_addr #0 {
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %8 = load ptr, ptr %7, align 8
  %9 = load ptr, ptr %8, align 8
  %10 = lshr i64 %1, 36
  %11 = getelementptr inbounds nuw %struct.Region, ptr %9, i64 %10
  %12 = and i64 %1, 68719476735
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %16 = load i32, ptr %15, align 8
  %17 = shl i32 %16, 4
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %19 = load i32, ptr %18, align 8
  %20 = or i32 %17, %19
  %21 = add i32 %20, 1
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %23 = load i32, ptr %22, align 8
  %24 = add i32 %23, 1
  store i32 %24, ptr %22, align 8
  %25 = load i32, ptr @event, align 4
  %26 = add i32 %25, 1
  store i32 %26, ptr @event, align 4
  %27 = load ptr, ptr @sans, align 8
  %28 = load i32, ptr %15, align 8
  %29 = zext i32 %28 to i64
  %30 = getelementptr inbounds nuw ptr, ptr %27, i64 %29
  %31 = load ptr, ptr %30, align 8
  %32 = getelementptr inbounds nuw i8, ptr %31, i64 664
  %33 = zext i32 %19 to i64
  %34 = getelementptr inbounds nuw i32, ptr %32, i64 %33
  %35 = load i32, ptr %34, align 4
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %72, label %37

37:                                               ; preds = %6
  store i32 0, ptr %34, align 4
  %38 = getelementptr inbounds nuw i8, ptr %31, i64 536
  %39 = getelementptr inbounds nuw i32, ptr %38, i64 %33
  %40 = load i32, ptr %39, align 4
  %41 = getelementptr inbounds nuw i8, ptr %31, i64 600
  %42 = getelementptr inbounds nuw i32, ptr %41, i64 %33
  %43 = load i32, ptr %42, align 4
  %44 = icmp eq i32 %40, %43
  br i1 %44, label %49, label %45

45:                                               ; preds = %37
  %46 = getelementptr inbounds nuw i8, ptr %31, i64 408
  %47 = getelementptr inbounds nuw ptr, ptr %46, i64 %33
  %48 = load ptr, ptr %47, align 8
  br label %59

49:                                               ; preds = %37
  %50 = shl i32 %40, 1
  %51 = add i32 %50, 8
  store i32 %51, ptr %42, align 4
  %52 = getelementptr inbounds nuw i8, ptr %31, i64 408
  %53 = getelementptr inbounds nuw ptr, ptr %52, i64 %33
  %54 = load ptr, ptr %53, align 8
  %55 = zext i32 %51 to i64
  %56 = mul nuw nsw i64 %55, 132
  %57 = tail call ptr @realloc(ptr noundef %54, i64 noundef %56) #19
  store ptr %57, ptr %53, align 8
  %58 = load i32, ptr %39, align 4
  br label %59

59:                                               ; preds = %49, %45
  %60 = phi i32 [ %40, %45 ], [ %58, %49 ]
  %61 = phi ptr [ %48, %45 ], [ %57, %49 ]
  %62 = add i32 %60, 1
  store i32 %62, ptr %39, align 4
  %63 = zext i32 %60 to i64
  %64 = getelementptr inbounds nuw %struct.Snapshot, ptr %61, i64 %63
  %65 = load i32, ptr %22, align 8
  store i32 %65, ptr %64, align 4
  %66 = getelementptr inbounds nuw i8, ptr %64, i64 4
  %67 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %68 = tail call ptr @memcpy(ptr noundef nonnull %66, ptr noundef nonnull %67, i64 noundef 64) #19
  %69 = getelementptr inbounds nuw i8, ptr %64, i64 68
  %70 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %71 = tail call ptr @memcpy(ptr noundef nonnull %69, ptr noundef nonnull %70, i64 noundef 64) #19
  br label %72

72:                                               ; preds = %6, %59
  %73 = and i64 %1, 68719476732
  %74 = zext i32 %2 to i64
  %75 = add nuw nsw i64 %12, %74
  %76 = icmp samesign ult i64 %73, %75
  br i1 %76, label %77, label %80

77:                                               ; preds = %72
  %78 = getelementptr inbounds nuw i8, ptr %11, i64 48
  %79 = and i64 %1, -68719476736
  br label %129

80:                                               ; preds = %229, %72
  %81 = load ptr, ptr @lines, align 8
  %82 = getelementptr inbounds nuw ptr, ptr %81, i64 %10
  %83 = load ptr, ptr %82, align 8
  %84 = icmp eq ptr %83, null
  br i1 %84, label %85, label %94

85:                                               ; preds = %80
  %86 = load ptr, ptr %8, align 8
  %87 = getelementptr inbounds nuw %struct.Region, ptr %86, i64 %10
  %88 = load i64, ptr %87, align 8
  %89 = lshr i64 %88, 16
  %90 = add nuw nsw i64 %89, 1
  %91 = tail call ptr @calloc(i64 noundef %90, i64 noundef 8) #19
  %92 = load ptr, ptr @lines, align 8
  %93 = getelementptr inbounds nuw ptr, ptr %92, i64 %10
  store ptr %91, ptr %93, align 8
  br label %94

94:                                               ; preds = %85, %80
  %95 = phi ptr [ %91, %85 ], [ %83, %80 ]
  %96 = lshr i64 %1, 16
  %97 = and i64 %96, 1048575
  %98 = getelementptr inbounds nuw ptr, ptr %95, i64 %97
  %99 = load ptr, ptr %98, align 8
  %100 = icmp eq ptr %99, null
  br i1 %100, label %101, label %103

101:                                              ; preds = %94
  %102 = tail call ptr @calloc(i64 noundef 512, i64 noundef 16) #19
  store ptr %102, ptr %98, align 8
  br label %103

103:                                              ; preds = %94, %101
  %104 = phi ptr [ %102, %101 ], [ %99, %94 ]
  %105 = lshr i64 %1, 7
  %106 = and i64 %105, 511
  %107 = getelementptr inbounds nuw %struct.Line, ptr %104, i64 %106
  %108 = load ptr, ptr %13, align 8
  %109 = getelementptr inbounds nuw i8, ptr %108, i64 56
  %110 = load i32, ptr %109, align 8
  %111 = shl i32 %110, 3
  %112 = and i32 %111, 56
  %113 = getelementptr inbounds nuw i8, ptr %108, i64 52
  %114 = load i32, ptr %113, align 4
  %115 = and i32 %114, 7
  %116 = or disjoint i32 %112, %115
  %117 = zext nneg i32 %116 to i64
  %118 = shl nuw i64 1, %117
  %119 = load i64, ptr %107, align 8
  %120 = xor i64 %118, -1
  %121 = and i64 %119, %120
  %122 = getelementptr inbounds nuw i8, ptr %107, i64 8
  %123 = load i64, ptr %122, align 8
  %124 = or i64 %121, %123
  %125 = and i32 %3, 16
  %126 = icmp eq i32 %125, 0
  %127 = select i1 %126, i64 %120, i64 -1
  %128 = and i64 %124, %127
  store i64 %128, ptr %122, align 8
  br i1 %126, label %244, label %246

129:                                              ; preds = %77, %229
  %130 = phi i64 [ %73, %77 ], [ %242, %229 ]
  %131 = load ptr, ptr %78, align 8
  %132 = icmp eq ptr %131, null
  br i1 %132, label %133, label %142

133:                                              ; preds = %129
  %134 = load i64, ptr %11, align 8
  %135 = lshr i64 %134, 12
  %136 = add nuw nsw i64 %135, 1
  %137 = tail call ptr @calloc(i64 noundef %136, i64 noundef 8) #19
  store ptr %137, ptr %78, align 8
  %138 = lshr i64 %130, 12
  %139 = getelementptr inbounds nuw ptr, ptr %137, i64 %138
  %140 = load ptr, ptr %139, align 8
  %141 = icmp eq ptr %140, null
  br i1 %141, label %147, label %150

142:                                              ; preds = %129
  %143 = lshr i64 %130, 12
  %144 = getelementptr inbounds nuw ptr, ptr %131, i64 %143
  %145 = load ptr, ptr %144, align 8
  %146 = icmp eq ptr %145, null
  br i1 %146, label %147, label %150

147:                                              ; preds = %142, %133
  %148 = phi ptr [ %139, %133 ], [ %144, %142 ]
  %149 = tail call ptr @calloc(i64 noundef 1024, i64 noundef 36) #19
  store ptr %149, ptr %148, align 8
  br label %150

150:                                              ; preds = %142, %133, %147
  %151 = phi ptr [ %140, %133 ], [ %149, %147 ], [ %145, %142 ]
  %152 = lshr exact i64 %130, 2
  %153 = and i64 %152, 1023
  %154 = getelementptr inbounds nuw %struct.Shadow, ptr %151, i64 %153
  %155 = getelementptr inbounds nuw i8, ptr %154, i64 24
  %156 = load i32, ptr %155, align 4
  %157 = icmp eq i32 %156, 0
  br i1 %157, label %229, label %158

158:                                              ; preds = %150
  %159 = add i32 %156, -1
  %160 = lshr i32 %159, 4
  %161 = and i32 %159, 15
  %162 = load ptr, ptr %13, align 8
  %163 = getelementptr inbounds nuw i8, ptr %162, i64 8
  %164 = load i32, ptr %163, align 8
  %165 = icmp eq i32 %160, %164
  br i1 %165, label %228, label %166

166:                                              ; preds = %158
  %167 = load ptr, ptr @sans, align 8
  %168 = zext nneg i32 %160 to i64
  %169 = getelementptr inbounds nuw ptr, ptr %167, i64 %168
  %170 = load ptr, ptr %169, align 8
  %171 = getelementptr inbounds nuw i8, ptr %170, i64 856
  %172 = load ptr, ptr %171, align 8
  %173 = load ptr, ptr %162, align 8
  %174 = icmp eq ptr %172, %173
  br i1 %174, label %187, label %175

175:                                              ; preds = %166
  %176 = getelementptr inbounds nuw i8, ptr %170, i64 864
  %177 = load i32, ptr %176, align 8
  %178 = getelementptr inbounds nuw i8, ptr %162, i64 56
  %179 = load i32, ptr %178, align 8
  %180 = icmp eq i32 %177, %179
  br i1 %180, label %181, label %187

181:                                              ; preds = %175
  %182 = getelementptr inbounds nuw i8, ptr %172, i64 88
  %183 = load i32, ptr %182, align 8
  %184 = getelementptr inbounds nuw i8, ptr %172, i64 48
  %185 = load i32, ptr %184, align 8
  %186 = icmp eq i32 %183, %185
  br i1 %186, label %228, label %187

187:                                              ; preds = %166, %175, %181
  %188 = getelementptr inbounds nuw i8, ptr %154, i64 28
  %189 = load i32, ptr %188, align 4
  %190 = tail call fastcc i32 @knows(ptr noundef nonnull %0, i32 noundef %160, i32 noundef %161, i32 noundef %189) #18
  %191 = icmp eq i32 %190, 0
  br i1 %191, label %192, label %228

192:                                              ; preds = %187
  %193 = or i64 %130, %79
  %194 = load i32, ptr %155, align 4
  %195 = getelementptr inbounds nuw i8, ptr %154, i64 32
  %196 = load i32, ptr %195, align 4
  %197 = load ptr, ptr %7, align 8
  %198 = tail call ptr @kk3_find(ptr noundef %197, ptr noundef nonnull readonly %0, i32 noundef 17, i32 noundef %4, i64 noundef %193, i32 noundef %5, i64 noundef 0) #18
  %199 = icmp ne ptr %198, null
  %200 = icmp ne i32 %194, 0
  %201 = and i1 %200, %199
  br i1 %201, label %202, label %228

202:                                              ; preds = %192
  %203 = load ptr, ptr @sans, align 8
  %204 = add i32 %194, -1
  %205 = lshr i32 %204, 4
  %206 = zext nneg i32 %205 to i64
  %207 = getelementptr inbounds nuw ptr, ptr %203, i64 %206
  %208 = load ptr, ptr %207, align 8
  %209 = getelementptr inbounds nuw i8, ptr %198, i64 8
  store i32 %196, ptr %209, align 8
  %210 = getelementptr inbounds nuw i8, ptr %198, i64 32
  store i32 %205, ptr %210, align 8
  %211 = getelementptr inbounds nuw i8, ptr %208, i64 856
  %212 = load ptr, ptr %211, align 8
  %213 = getelementptr inbounds nuw i8, ptr %212, i64 64
  %214 = load i32, ptr %213, align 8
  %215 = getelementptr inbounds nuw i8, ptr %198, i64 16
  store i32 %214, ptr %215, align 8
  %216 = getelementptr inbounds nuw i8, ptr %208, i64 864
  %217 = load i32, ptr %216, align 8
  %218 = getelementptr inbounds nuw i8, ptr %198, i64 44
  store i32 %217, ptr %218, align 4
  %219 = getelementptr inbounds nuw i8, ptr %208, i64 872
  %220 = getelementptr inbounds nuw i8, ptr %198, i64 84
  br label %221

221:                                              ; preds = %221, %202
  %222 = phi i64 [ 0, %202 ], [ %226, %221 ]
  %223 = getelementptr inbounds nuw i32, ptr %219, i64 %222
  %224 = load i32, ptr %223, align 4
  %225 = getelementptr inbounds nuw i32, ptr %220, i64 %222
  store i32 %224, ptr %225, align 4
  %226 = add nuw nsw i64 %222, 1
  %227 = icmp eq i64 %226, 3
  br i1 %227, label %228, label %221, !llvm.loop !75

228:                                              ; preds = %221, %192, %187, %181, %158
  store i32 0, ptr %155, align 4
  br label %229

229:                                              ; preds = %228, %150
  %230 = load i32, ptr %154, align 4
  %231 = icmp ne i32 %230, 0
  %232 = zext i1 %231 to i32
  %233 = getelementptr inbounds nuw i8, ptr %154, i64 20
  %234 = load i32, ptr %233, align 4
  %235 = add i32 %234, %232
  store i32 %235, ptr %233, align 4
  store i32 %21, ptr %154, align 4
  %236 = load i32, ptr %22, align 8
  %237 = getelementptr inbounds nuw i8, ptr %154, i64 4
  store i32 %236, ptr %237, align 4
  %238 = getelementptr inbounds nuw i8, ptr %154, i64 8
  store i32 %4, ptr %238, align 4
  %239 = getelementptr inbounds nuw i8, ptr %154, i64 12
  store i32 %3, ptr %239, align 4
  %240 = load i32, ptr @event, align 4
  %241 = getelementptr inbounds nuw i8, ptr %154, i64 16
  store i32 %240, ptr %241, align 4
  %242 = add nuw nsw i64 %130, 4
  %243 = icmp samesign ult i64 %242, %75
  br i1 %243, label %129, label %80, !llvm.loop !104

244:                                              ; preds = %103
  %245 = or i64 %118, %119
  store i64 %245, ptr %107, align 8
  br label %246

246:                                              ; preds = %244, %103
  ret void
}

declare ptr @memset(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr #4

define void @kk3_yield(ptr noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 248
  store i32 %1, ptr %5, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %7 = load ptr, ptr %3, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 232
  %9 = load ptr, ptr %8, align 8
  tail call void @kk3_switch(ptr noundef nonnull %6, ptr noundef %9) #19
  ret void
}

declare void @kk3_switch(ptr noundef, ptr noundef) local_unnamed_addr #4

define void @kk3_enter() #6 {
  %1 = load ptr, ptr @running, align 8
  %2 = getelementptr inbounds nuw i8, ptr %1, i64 240
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw i8, ptr %3, i64 80
  %5 = load ptr, ptr %4, align 8
  %6 = load ptr, ptr %5, align 8
  %7 = load ptr, ptr %6, align 8
  tail call void %7(ptr noundef %3) #19
  %8 = getelementptr inbounds nuw i8, ptr %3, i64 88
  %9 = getelementptr inbounds nuw i8, ptr %3, i64 64
  br label %10

10:                                               ; preds = %10, %0
  %11 = load ptr, ptr %8, align 8
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 248
  store i32 0, ptr %12, align 8
  %13 = load ptr, ptr %8, align 8
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 232
  %15 = load ptr, ptr %14, align 8
  tail call void @kk3_switch(ptr noundef nonnull %9, ptr noundef %15) #19
  br label %10, !llvm.loop !105
}

define void @kk3_sleep(ptr noundef initializes((124, 128)) %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %4 = load ptr, ptr %3, align 8
  %5 = zext i32 %1 to i64
  %6 = getelementptr inbounds nuw %struct.Site, ptr %4, i64 %5
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %6, i64 16
  %10 = load i32, ptr %9, align 4
  %11 = mul i32 %10, 17
  %12 = add i32 %11, 15
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds nuw i64, ptr %8, i64 %13
  %15 = load i64, ptr %14, align 8
  %16 = add i64 %15, 1
  store i64 %16, ptr %14, align 8
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 128
  %18 = load i32, ptr %17, align 8
  %19 = add i32 %18, 1
  store i32 %19, ptr %17, align 8
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 124
  store i32 %1, ptr %20, align 4
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %22 = load ptr, ptr %21, align 8
  %23 = getelementptr inbounds nuw i8, ptr %22, i64 248
  store i32 2, ptr %23, align 8
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %25 = load ptr, ptr %21, align 8
  %26 = getelementptr inbounds nuw i8, ptr %25, i64 232
  %27 = load ptr, ptr %26, align 8
  tail call void @kk3_switch(ptr noundef nonnull %24, ptr noundef %27) #19
  ret void
}

define void @kk3_poll_begin(ptr noundef captures(none) initializes((128, 132)) %0, i32 noundef %1) local_unnamed_addr #7 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %6 = load ptr, ptr %5, align 8
  %7 = zext i32 %1 to i64
  %8 = getelementptr inbounds nuw %struct.Site, ptr %6, i64 %7
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 16
  %10 = load i32, ptr %9, align 4
  %11 = mul i32 %10, 17
  %12 = add i32 %11, 14
  %13 = zext i32 %12 to i64
  %14 = getelementptr inbounds nuw i64, ptr %4, i64 %13
  %15 = load i64, ptr %14, align 8
  %16 = add i64 %15, 1
  store i64 %16, ptr %14, align 8
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 128
  store i32 0, ptr %17, align 8
  ret void
}

define void @kk3_poll_end(ptr noundef captures(none) %0, i32 noundef %1) local_unnamed_addr #7 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 128
  %4 = load i32, ptr %3, align 8
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %21, label %6

6:                                                ; preds = %2
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %8 = load ptr, ptr %7, align 8
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %10 = load ptr, ptr %9, align 8
  %11 = zext i32 %1 to i64
  %12 = getelementptr inbounds nuw %struct.Site, ptr %10, i64 %11
  %13 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %14 = load i32, ptr %13, align 4
  %15 = mul i32 %14, 17
  %16 = add i32 %15, 13
  %17 = zext i32 %16 to i64
  %18 = getelementptr inbounds nuw i64, ptr %8, i64 %17
  %19 = load i64, ptr %18, align 8
  %20 = add i64 %19, 1
  store i64 %20, ptr %18, align 8
  br label %21

21:                                               ; preds = %6, %2
  store i32 0, ptr %3, align 8
  ret void
}

define void @kk3_barrier(ptr noundef initializes((124, 128)) %0, i64 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 124
  store i32 %2, ptr %6, align 4
  %7 = load i64, ptr %0, align 8
  %8 = icmp eq i64 %1, %7
  br i1 %8, label %14, label %9

9:                                                ; preds = %3
  %10 = xor i64 %1, -1
  %11 = and i64 %7, %10
  %12 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %11, i1 true)
  %13 = trunc nuw nsw i64 %12 to i32
  tail call void @kk3_fault(ptr noundef nonnull %0, i32 noundef 8, i32 noundef %2, i64 noundef 0, i32 noundef %13, i64 noundef %1) #18
  unreachable

14:                                               ; preds = %3
  %15 = zext i32 %2 to i64
  %16 = getelementptr inbounds nuw %struct.Site, ptr %5, i64 %15
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %18 = load i32, ptr %17, align 8
  %19 = icmp eq i32 %18, 0
  %20 = zext i1 %19 to i64
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %22 = load ptr, ptr %21, align 8
  %23 = getelementptr inbounds nuw i8, ptr %16, i64 16
  %24 = load i32, ptr %23, align 4
  %25 = mul i32 %24, 17
  %26 = add i32 %25, 12
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw i64, ptr %22, i64 %27
  %29 = load i64, ptr %28, align 8
  %30 = add i64 %29, %20
  store i64 %30, ptr %28, align 8
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr inbounds nuw i8, ptr %32, i64 248
  store i32 1, ptr %33, align 8
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %35 = load ptr, ptr %31, align 8
  %36 = getelementptr inbounds nuw i8, ptr %35, i64 232
  %37 = load ptr, ptr %36, align 8
  tail call void @kk3_switch(ptr noundef nonnull %34, ptr noundef %37) #19
  ret void
}

define void @kk3_waitcnt(ptr noundef captures(none) %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #7 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 220
  %7 = load i32, ptr %6, align 4
  %8 = icmp ne i32 %7, 0
  %9 = and i32 %1, 49167
  %10 = icmp eq i32 %9, 0
  %11 = and i1 %10, %8
  br i1 %11, label %12, label %32

12:                                               ; preds = %3
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %14 = load i32, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %17 = load i32, ptr %16, align 8
  %18 = zext i32 %17 to i64
  %19 = getelementptr inbounds nuw i32, ptr %15, i64 %18
  store i32 %14, ptr %19, align 4
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %21 = getelementptr inbounds nuw i32, ptr %20, i64 %18
  store i32 %14, ptr %21, align 4
  %22 = load ptr, ptr @sans, align 8
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 8
  %26 = load i32, ptr %25, align 8
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw ptr, ptr %22, i64 %27
  %29 = load ptr, ptr %28, align 8
  %30 = getelementptr inbounds nuw i8, ptr %29, i64 664
  %31 = getelementptr inbounds nuw i32, ptr %30, i64 %18
  store i32 1, ptr %31, align 4
  br label %32

32:                                               ; preds = %12, %3
  ret void
}

define void @kk3_san_wait(ptr noundef captures(none) %0) local_unnamed_addr #7 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %3 = load i32, ptr %2, align 8
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %6 = load i32, ptr %5, align 8
  %7 = zext i32 %6 to i64
  %8 = getelementptr inbounds nuw i32, ptr %4, i64 %7
  store i32 %3, ptr %8, align 4
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %10 = getelementptr inbounds nuw i32, ptr %9, i64 %7
  store i32 %3, ptr %10, align 4
  %11 = load ptr, ptr @sans, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr inbounds nuw i8, ptr %13, i64 8
  %15 = load i32, ptr %14, align 8
  %16 = zext i32 %15 to i64
  %17 = getelementptr inbounds nuw ptr, ptr %11, i64 %16
  %18 = load ptr, ptr %17, align 8
  %19 = getelementptr inbounds nuw i8, ptr %18, i64 664
  %20 = getelementptr inbounds nuw i32, ptr %19, i64 %7
  store i32 1, ptr %20, align 4
  ret void
}

define void @kk3_fence(ptr noundef captures(none) %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #7 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 220
  %9 = load i32, ptr %8, align 4
  %10 = icmp eq i32 %9, 0
  br i1 %10, label %54, label %11

11:                                               ; preds = %5
  %12 = load ptr, ptr @sans, align 8
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %14 = load ptr, ptr %13, align 8
  %15 = getelementptr inbounds nuw i8, ptr %14, i64 8
  %16 = load i32, ptr %15, align 8
  %17 = zext i32 %16 to i64
  %18 = getelementptr inbounds nuw ptr, ptr %12, i64 %17
  %19 = load ptr, ptr %18, align 8
  %20 = icmp eq i32 %3, 0
  br i1 %20, label %54, label %21

21:                                               ; preds = %11
  %22 = icmp eq i32 %2, 0
  br i1 %22, label %44, label %23

23:                                               ; preds = %21
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %25 = load i32, ptr %24, align 8
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %28 = load i32, ptr %27, align 8
  %29 = zext i32 %28 to i64
  %30 = getelementptr inbounds nuw i32, ptr %26, i64 %29
  store i32 %25, ptr %30, align 4
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %32 = getelementptr inbounds nuw i32, ptr %31, i64 %29
  store i32 %25, ptr %32, align 4
  %33 = load i32, ptr %15, align 8
  %34 = zext i32 %33 to i64
  %35 = getelementptr inbounds nuw ptr, ptr %12, i64 %34
  %36 = load ptr, ptr %35, align 8
  %37 = getelementptr inbounds nuw i8, ptr %36, i64 664
  %38 = getelementptr inbounds nuw i32, ptr %37, i64 %29
  store i32 1, ptr %38, align 4
  %39 = load i32, ptr %24, align 8
  %40 = getelementptr inbounds nuw i8, ptr %19, i64 728
  %41 = load i32, ptr %27, align 8
  %42 = zext i32 %41 to i64
  %43 = getelementptr inbounds nuw i32, ptr %40, i64 %42
  store i32 %39, ptr %43, align 4
  br label %44

44:                                               ; preds = %23, %21
  %45 = icmp eq i32 %1, 0
  br i1 %45, label %54, label %46

46:                                               ; preds = %44
  %47 = load i32, ptr @event, align 4
  %48 = add i32 %47, 1
  store i32 %48, ptr @event, align 4
  %49 = getelementptr inbounds nuw i8, ptr %19, i64 792
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %51 = load i32, ptr %50, align 8
  %52 = zext i32 %51 to i64
  %53 = getelementptr inbounds nuw i32, ptr %49, i64 %52
  store i32 %48, ptr %53, align 4
  br label %54

54:                                               ; preds = %46, %44, %11, %5
  ret void
}

define void @kk3_san_fence(ptr noundef captures(none) %0, i32 noundef %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #7 {
  %5 = load ptr, ptr @sans, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %9 = load i32, ptr %8, align 8
  %10 = zext i32 %9 to i64
  %11 = getelementptr inbounds nuw ptr, ptr %5, i64 %10
  %12 = load ptr, ptr %11, align 8
  %13 = icmp eq i32 %3, 0
  br i1 %13, label %47, label %14

14:                                               ; preds = %4
  %15 = icmp eq i32 %2, 0
  br i1 %15, label %37, label %16

16:                                               ; preds = %14
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %18 = load i32, ptr %17, align 8
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %21 = load i32, ptr %20, align 8
  %22 = zext i32 %21 to i64
  %23 = getelementptr inbounds nuw i32, ptr %19, i64 %22
  store i32 %18, ptr %23, align 4
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %25 = getelementptr inbounds nuw i32, ptr %24, i64 %22
  store i32 %18, ptr %25, align 4
  %26 = load i32, ptr %8, align 8
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw ptr, ptr %5, i64 %27
  %29 = load ptr, ptr %28, align 8
  %30 = getelementptr inbounds nuw i8, ptr %29, i64 664
  %31 = getelementptr inbounds nuw i32, ptr %30, i64 %22
  store i32 1, ptr %31, align 4
  %32 = load i32, ptr %17, align 8
  %33 = getelementptr inbounds nuw i8, ptr %12, i64 728
  %34 = load i32, ptr %20, align 8
  %35 = zext i32 %34 to i64
  %36 = getelementptr inbounds nuw i32, ptr %33, i64 %35
  store i32 %32, ptr %36, align 4
  br label %37

37:                                               ; preds = %16, %14
  %38 = icmp eq i32 %1, 0
  br i1 %38, label %47, label %39

39:                                               ; preds = %37
  %40 = load i32, ptr @event, align 4
  %41 = add i32 %40, 1
  store i32 %41, ptr @event, align 4
  %42 = getelementptr inbounds nuw i8, ptr %12, i64 792
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %44 = load i32, ptr %43, align 8
  %45 = zext i32 %44 to i64
  %46 = getelementptr inbounds nuw i32, ptr %42, i64 %45
  store i32 %41, ptr %46, align 4
  br label %47

47:                                               ; preds = %37, %39, %4
  ret void
}

define void @kk3_quantum(ptr noundef initializes((124, 128)) %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 124
  store i32 %1, ptr %3, align 4
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 248
  store i32 3, ptr %6, align 8
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr inbounds nuw i8, ptr %8, i64 232
  %10 = load ptr, ptr %9, align 8
  tail call void @kk3_switch(ptr noundef nonnull %7, ptr noundef %10) #19
  ret void
}

define i64 @kk3_clock(ptr noundef readonly captures(none) %0) local_unnamed_addr #8 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds nuw i8, ptr %3, i64 136
  %5 = load i64, ptr %4, align 8
  ret i64 %5
}

define void @kk3_ops(ptr noundef captures(none) %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #7 {
  %4 = zext i32 %2 to i64
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %6 = load ptr, ptr %5, align 8
  %7 = mul i32 %1, 17
  %8 = zext i32 %7 to i64
  %9 = getelementptr inbounds nuw i64, ptr %6, i64 %8
  %10 = load i64, ptr %9, align 8
  %11 = add i64 %10, %4
  store i64 %11, ptr %9, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %13 = load i64, ptr %12, align 8
  %14 = add i64 %13, %4
  store i64 %14, ptr %12, align 8
  ret void
}

define range(i32 0, 5) i32 @kk3_run(ptr noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  store ptr %0, ptr @running, align 8
  %3 = icmp eq i64 %1, 0
  br i1 %3, label %896, label %4

4:                                                ; preds = %2
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 328
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 24
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 136
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %11 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 228
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %14 = getelementptr inbounds nuw i8, ptr %0, i64 112
  %15 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 56
  %17 = getelementptr inbounds nuw i8, ptr %0, i64 312
  %18 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %20 = getelementptr inbounds nuw i8, ptr %0, i64 316
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 220
  %22 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %23 = getelementptr inbounds nuw i8, ptr %0, i64 284
  %24 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %25 = getelementptr inbounds nuw i8, ptr %0, i64 120
  %26 = getelementptr inbounds nuw i8, ptr %0, i64 168
  %27 = getelementptr inbounds nuw i8, ptr %0, i64 144
  %28 = getelementptr inbounds nuw i8, ptr %0, i64 108
  %29 = getelementptr inbounds nuw i8, ptr %0, i64 296
  %30 = getelementptr inbounds nuw i8, ptr %0, i64 240
  %31 = getelementptr inbounds nuw i8, ptr %0, i64 304
  %32 = getelementptr inbounds nuw i8, ptr %0, i64 116
  %33 = getelementptr inbounds nuw i8, ptr %0, i64 152
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 352
  %35 = getelementptr inbounds nuw i8, ptr %0, i64 232
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 248
  %37 = getelementptr inbounds nuw i8, ptr %0, i64 256
  %38 = getelementptr inbounds nuw i8, ptr %0, i64 264
  %39 = getelementptr inbounds nuw i8, ptr %0, i64 128
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 160
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 192
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 176
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 184
  br label %44

44:                                               ; preds = %4, %892
  %45 = phi i32 [ 0, %4 ], [ %893, %892 ]
  %46 = phi i64 [ 0, %4 ], [ %894, %892 ]
  store i64 9223372036854775807, ptr %5, align 8
  %47 = load i32, ptr %6, align 8
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %896, label %51

49:                                               ; preds = %304
  %50 = icmp eq i32 %63, 0
  br i1 %50, label %896, label %309

51:                                               ; preds = %44, %304
  %52 = phi i32 [ %305, %304 ], [ %47, %44 ]
  %53 = phi i64 [ %306, %304 ], [ 0, %44 ]
  %54 = phi i32 [ %63, %304 ], [ 0, %44 ]
  %55 = phi i32 [ %81, %304 ], [ 0, %44 ]
  %56 = load ptr, ptr %7, align 8
  %57 = getelementptr inbounds nuw %struct.Launch, ptr %56, i64 %53
  %58 = getelementptr inbounds nuw i8, ptr %57, i64 88
  %59 = load i32, ptr %58, align 8
  %60 = getelementptr inbounds nuw i8, ptr %57, i64 48
  %61 = load i32, ptr %60, align 8
  %62 = icmp ult i32 %59, %61
  %63 = select i1 %62, i32 1, i32 %54
  %64 = getelementptr inbounds nuw i8, ptr %57, i64 84
  %65 = load i32, ptr %64, align 4
  %66 = icmp ult i32 %65, %61
  br i1 %66, label %67, label %78

67:                                               ; preds = %51
  %68 = load i64, ptr %8, align 8
  %69 = getelementptr inbounds nuw i8, ptr %57, i64 96
  %70 = load i64, ptr %69, align 8
  %71 = icmp ult i64 %68, %70
  br i1 %71, label %72, label %78

72:                                               ; preds = %67
  %73 = load i64, ptr %5, align 8
  %74 = icmp slt i64 %70, %73
  br i1 %74, label %75, label %78

75:                                               ; preds = %72
  store i64 %70, ptr %5, align 8
  %76 = load i32, ptr %64, align 4
  %77 = load i32, ptr %60, align 8
  br label %78

78:                                               ; preds = %72, %75, %67, %51
  %79 = phi i32 [ %77, %75 ], [ %61, %72 ], [ %61, %67 ], [ %61, %51 ]
  %80 = phi i32 [ %76, %75 ], [ %65, %72 ], [ %65, %67 ], [ %65, %51 ]
  %81 = phi i32 [ 1, %75 ], [ 1, %72 ], [ %55, %67 ], [ %55, %51 ]
  %82 = icmp eq i32 %80, %79
  br i1 %82, label %304, label %83

83:                                               ; preds = %78
  %84 = getelementptr inbounds nuw i8, ptr %57, i64 96
  %85 = getelementptr inbounds nuw i8, ptr %57, i64 108
  %86 = getelementptr inbounds nuw i8, ptr %57, i64 104
  %87 = getelementptr inbounds nuw i8, ptr %57, i64 52
  %88 = getelementptr inbounds nuw i8, ptr %57, i64 80
  %89 = getelementptr inbounds nuw i8, ptr %57, i64 76
  %90 = getelementptr inbounds nuw i8, ptr %57, i64 24
  %91 = getelementptr inbounds nuw i8, ptr %57, i64 28
  %92 = getelementptr inbounds nuw i8, ptr %57, i64 56
  %93 = getelementptr inbounds nuw i8, ptr %57, i64 36
  %94 = getelementptr inbounds nuw i8, ptr %57, i64 40
  %95 = getelementptr inbounds nuw i8, ptr %57, i64 44
  %96 = getelementptr inbounds nuw i8, ptr %57, i64 16
  %97 = getelementptr inbounds nuw i8, ptr %57, i64 8
  %98 = getelementptr inbounds nuw i8, ptr %57, i64 120
  %99 = getelementptr inbounds nuw i8, ptr %57, i64 68
  br label %100

100:                                              ; preds = %83, %292
  %101 = phi i32 [ %79, %83 ], [ %300, %292 ]
  %102 = phi i32 [ %80, %83 ], [ %299, %292 ]
  %103 = load i64, ptr %8, align 8
  %104 = load i64, ptr %84, align 8
  %105 = icmp ult i64 %103, %104
  br i1 %105, label %302, label %106

106:                                              ; preds = %100
  %107 = load i32, ptr %85, align 4
  %108 = icmp eq i32 %107, 0
  br i1 %108, label %119, label %109

109:                                              ; preds = %106
  %110 = load ptr, ptr %7, align 8
  %111 = add i32 %107, -1
  %112 = zext i32 %111 to i64
  %113 = getelementptr inbounds nuw %struct.Launch, ptr %110, i64 %112
  %114 = getelementptr inbounds nuw i8, ptr %113, i64 88
  %115 = load i32, ptr %114, align 8
  %116 = getelementptr inbounds nuw i8, ptr %113, i64 48
  %117 = load i32, ptr %116, align 8
  %118 = icmp eq i32 %115, %117
  br i1 %118, label %119, label %302

119:                                              ; preds = %109, %106
  %120 = load i32, ptr %58, align 8
  %121 = sub i32 %102, %120
  %122 = load i32, ptr %86, align 8
  %123 = icmp ult i32 %121, %122
  br i1 %123, label %124, label %302

124:                                              ; preds = %119
  %125 = load i64, ptr %9, align 8
  %126 = load i32, ptr %87, align 4
  %127 = zext i32 %126 to i64
  %128 = icmp ult i64 %125, %127
  br i1 %128, label %302, label %129

129:                                              ; preds = %124
  %130 = add i32 %102, 1
  store i32 %130, ptr %64, align 4
  %131 = load i32, ptr %10, align 8
  %132 = icmp eq i32 %131, 1
  %133 = xor i32 %102, -1
  %134 = add i32 %101, %133
  %135 = select i1 %132, i32 %134, i32 %102
  %136 = load ptr, ptr %11, align 8
  %137 = load i32, ptr %88, align 8
  %138 = add i32 %137, %135
  %139 = zext i32 %138 to i64
  %140 = getelementptr inbounds nuw %struct.Wg, ptr %136, i64 %139
  store ptr %57, ptr %140, align 8
  %141 = load i32, ptr %88, align 8
  %142 = add i32 %141, %135
  %143 = getelementptr inbounds nuw i8, ptr %140, i64 8
  store i32 %142, ptr %143, align 8
  %144 = getelementptr inbounds nuw i8, ptr %140, i64 12
  store i32 %135, ptr %144, align 4
  %145 = load i32, ptr %89, align 4
  %146 = getelementptr inbounds nuw i8, ptr %140, i64 56
  store i32 %145, ptr %146, align 8
  %147 = load i32, ptr %90, align 8
  %148 = urem i32 %135, %147
  %149 = getelementptr inbounds nuw i8, ptr %140, i64 40
  store i32 %148, ptr %149, align 8
  %150 = load i32, ptr %90, align 8
  %151 = udiv i32 %135, %150
  %152 = load i32, ptr %91, align 4
  %153 = urem i32 %151, %152
  %154 = getelementptr inbounds nuw i8, ptr %140, i64 44
  store i32 %153, ptr %154, align 4
  %155 = load i32, ptr %90, align 8
  %156 = load i32, ptr %91, align 4
  %157 = mul i32 %156, %155
  %158 = udiv i32 %135, %157
  %159 = getelementptr inbounds nuw i8, ptr %140, i64 48
  store i32 %158, ptr %159, align 8
  %160 = load i32, ptr %12, align 4
  %161 = urem i32 %135, %160
  %162 = getelementptr inbounds nuw i8, ptr %140, i64 52
  store i32 %161, ptr %162, align 4
  %163 = load i32, ptr %87, align 4
  %164 = getelementptr inbounds nuw i8, ptr %140, i64 20
  store i32 %163, ptr %164, align 4
  %165 = getelementptr inbounds nuw i8, ptr %140, i64 16
  store i32 %163, ptr %165, align 8
  %166 = getelementptr inbounds nuw i8, ptr %140, i64 32
  store i32 1, ptr %166, align 8
  %167 = load i32, ptr %87, align 4
  %168 = zext i32 %167 to i64
  %169 = tail call ptr @calloc(i64 noundef %168, i64 noundef 392) #19
  %170 = getelementptr inbounds nuw i8, ptr %140, i64 104
  store ptr %169, ptr %170, align 8
  %171 = load i32, ptr %92, align 8
  %172 = add i32 %171, 64
  %173 = zext i32 %172 to i64
  %174 = tail call ptr @calloc(i64 noundef %173, i64 noundef 1) #19
  %175 = getelementptr inbounds nuw i8, ptr %140, i64 88
  store ptr %174, ptr %175, align 8
  %176 = load i32, ptr %92, align 8
  %177 = lshr i32 %176, 2
  %178 = add nuw nsw i32 %177, 64
  %179 = zext nneg i32 %178 to i64
  %180 = tail call ptr @calloc(i64 noundef %179, i64 noundef 1) #19
  %181 = getelementptr inbounds nuw i8, ptr %140, i64 96
  store ptr %180, ptr %181, align 8
  %182 = load i32, ptr %93, align 4
  %183 = load i32, ptr %94, align 8
  %184 = mul i32 %183, %182
  %185 = load i32, ptr %95, align 4
  %186 = mul i32 %184, %185
  %187 = load i32, ptr %87, align 4
  %188 = icmp eq i32 %187, 0
  br i1 %188, label %192, label %189

189:                                              ; preds = %129
  %190 = zext i32 %135 to i64
  %191 = mul nuw nsw i64 %190, 136
  br label %195

192:                                              ; preds = %262, %129
  %193 = load i32, ptr %21, align 4
  %194 = icmp eq i32 %193, 0
  br i1 %194, label %278, label %277

195:                                              ; preds = %262, %189
  %196 = phi i64 [ 0, %189 ], [ %263, %262 ]
  %197 = load ptr, ptr %170, align 8
  %198 = getelementptr inbounds nuw %struct.Wave, ptr %197, i64 %196
  %199 = trunc nuw i64 %196 to i32
  %200 = shl i32 %199, 6
  %201 = sub i32 %186, %200
  %202 = icmp ugt i32 %201, 63
  %203 = zext nneg i32 %201 to i64
  %204 = shl nsw i64 -1, %203
  %205 = xor i64 %204, -1
  %206 = select i1 %202, i64 -1, i64 %205
  store i64 %206, ptr %198, align 8
  %207 = load ptr, ptr %96, align 8
  %208 = getelementptr inbounds nuw i8, ptr %198, i64 8
  store ptr %207, ptr %208, align 8
  %209 = load ptr, ptr %13, align 8
  %210 = getelementptr inbounds nuw i8, ptr %198, i64 16
  store ptr %209, ptr %210, align 8
  %211 = getelementptr inbounds nuw i8, ptr %198, i64 32
  store i32 %199, ptr %211, align 8
  %212 = getelementptr inbounds nuw i8, ptr %198, i64 80
  store ptr %140, ptr %212, align 8
  %213 = getelementptr inbounds nuw i8, ptr %198, i64 88
  store ptr %0, ptr %213, align 8
  %214 = load ptr, ptr %97, align 8
  %215 = getelementptr inbounds nuw i8, ptr %198, i64 96
  store ptr %214, ptr %215, align 8
  %216 = load i32, ptr %14, align 8
  %217 = getelementptr inbounds nuw i8, ptr %198, i64 36
  store i32 %216, ptr %217, align 4
  %218 = getelementptr inbounds nuw i8, ptr %198, i64 124
  store i32 -1, ptr %218, align 4
  %219 = getelementptr inbounds nuw i8, ptr %198, i64 40
  %220 = getelementptr inbounds nuw i8, ptr %198, i64 52
  br label %267

221:                                              ; preds = %267
  %222 = load ptr, ptr %98, align 8
  %223 = load i32, ptr %99, align 4
  %224 = zext i32 %223 to i64
  %225 = mul i64 %191, %224
  %226 = getelementptr inbounds nuw i8, ptr %222, i64 %225
  %227 = getelementptr inbounds nuw i8, ptr %198, i64 104
  store ptr %226, ptr %227, align 8
  %228 = load ptr, ptr %15, align 8
  %229 = load i64, ptr %9, align 8
  %230 = add i64 %229, -1
  store i64 %230, ptr %9, align 8
  %231 = getelementptr inbounds nuw i32, ptr %228, i64 %230
  %232 = load i32, ptr %231, align 4
  %233 = load i64, ptr %16, align 8
  %234 = sub i64 %233, %230
  %235 = trunc i64 %234 to i32
  %236 = load i32, ptr %17, align 8
  %237 = icmp ult i32 %236, %235
  br i1 %237, label %238, label %239

238:                                              ; preds = %221
  store i32 %235, ptr %17, align 8
  br label %239

239:                                              ; preds = %238, %221
  %240 = load ptr, ptr %18, align 8
  %241 = zext i32 %232 to i64
  %242 = load i64, ptr %19, align 8
  %243 = mul i64 %242, %241
  %244 = getelementptr inbounds nuw i8, ptr %240, i64 %243
  %245 = getelementptr inbounds nuw i8, ptr %198, i64 72
  store ptr %244, ptr %245, align 8
  store i64 7740336869348568673, ptr %244, align 8
  %246 = load ptr, ptr %245, align 8
  %247 = load i64, ptr %19, align 8
  %248 = getelementptr inbounds nuw i8, ptr %246, i64 %247
  %249 = getelementptr inbounds i8, ptr %248, i64 -256
  %250 = tail call ptr @memset(ptr noundef nonnull %249, i32 noundef 0, i64 noundef 192) #19
  %251 = load i32, ptr %20, align 4
  %252 = icmp eq i32 %251, 0
  br i1 %252, label %253, label %258

253:                                              ; preds = %239
  %254 = getelementptr inbounds i8, ptr %248, i64 -72
  store i64 0, ptr %254, align 8
  %255 = getelementptr inbounds i8, ptr %248, i64 -80
  store i64 ptrtoint (ptr @kk3_enter to i64), ptr %255, align 8
  %256 = getelementptr inbounds i8, ptr %248, i64 -128
  %257 = getelementptr inbounds nuw i8, ptr %198, i64 64
  store ptr %256, ptr %257, align 8
  br label %262

258:                                              ; preds = %239
  %259 = getelementptr inbounds i8, ptr %248, i64 -224
  %260 = getelementptr inbounds nuw i8, ptr %198, i64 64
  store ptr %259, ptr %260, align 8
  %261 = getelementptr inbounds i8, ptr %248, i64 -72
  store i64 ptrtoint (ptr @kk3_enter to i64), ptr %261, align 8
  br label %262

262:                                              ; preds = %258, %253
  %263 = add nuw nsw i64 %196, 1
  %264 = load i32, ptr %87, align 4
  %265 = zext i32 %264 to i64
  %266 = icmp samesign ult i64 %263, %265
  br i1 %266, label %195, label %192, !llvm.loop !106

267:                                              ; preds = %267, %195
  %268 = phi i64 [ 0, %195 ], [ %275, %267 ]
  %269 = getelementptr inbounds nuw i32, ptr %149, i64 %268
  %270 = load i32, ptr %269, align 4
  %271 = getelementptr inbounds nuw i32, ptr %219, i64 %268
  store i32 %270, ptr %271, align 4
  %272 = getelementptr inbounds nuw i32, ptr %90, i64 %268
  %273 = load i32, ptr %272, align 4
  %274 = getelementptr inbounds nuw i32, ptr %220, i64 %268
  store i32 %273, ptr %274, align 4
  %275 = add nuw nsw i64 %268, 1
  %276 = icmp eq i64 %275, 3
  br i1 %276, label %221, label %267, !llvm.loop !107

277:                                              ; preds = %192
  tail call void @kk3_san_start(ptr noundef nonnull %0, ptr noundef nonnull %140) #18
  br label %278

278:                                              ; preds = %277, %192
  %279 = load i32, ptr %22, align 8
  %280 = load i32, ptr %23, align 4
  %281 = icmp eq i32 %279, %280
  br i1 %281, label %284, label %282

282:                                              ; preds = %278
  %283 = load ptr, ptr %24, align 8
  br label %292

284:                                              ; preds = %278
  %285 = shl i32 %279, 1
  %286 = add i32 %285, 256
  store i32 %286, ptr %23, align 4
  %287 = load ptr, ptr %24, align 8
  %288 = zext i32 %286 to i64
  %289 = shl nuw nsw i64 %288, 2
  %290 = tail call ptr @realloc(ptr noundef %287, i64 noundef %289) #19
  store ptr %290, ptr %24, align 8
  %291 = load i32, ptr %22, align 8
  br label %292

292:                                              ; preds = %282, %284
  %293 = phi i32 [ %279, %282 ], [ %291, %284 ]
  %294 = phi ptr [ %283, %282 ], [ %290, %284 ]
  %295 = load i32, ptr %143, align 8
  %296 = add i32 %293, 1
  store i32 %296, ptr %22, align 8
  %297 = zext i32 %293 to i64
  %298 = getelementptr inbounds nuw i32, ptr %294, i64 %297
  store i32 %295, ptr %298, align 4
  %299 = load i32, ptr %64, align 4
  %300 = load i32, ptr %60, align 8
  %301 = icmp eq i32 %299, %300
  br i1 %301, label %302, label %100, !llvm.loop !108

302:                                              ; preds = %119, %100, %292, %109, %124
  %303 = load i32, ptr %6, align 8
  br label %304

304:                                              ; preds = %302, %78
  %305 = phi i32 [ %303, %302 ], [ %52, %78 ]
  %306 = add nuw nsw i64 %53, 1
  %307 = zext i32 %305 to i64
  %308 = icmp samesign ult i64 %306, %307
  br i1 %308, label %51, label %49, !llvm.loop !109

309:                                              ; preds = %49
  %310 = load i32, ptr %10, align 8
  %311 = icmp eq i32 %310, 2
  %312 = load i32, ptr %22, align 8
  %313 = icmp ugt i32 %312, 1
  %314 = select i1 %311, i1 %313, i1 false
  br i1 %314, label %315, label %341

315:                                              ; preds = %309
  %316 = zext i32 %312 to i64
  br label %317

317:                                              ; preds = %315, %317
  %318 = phi i64 [ %316, %315 ], [ %331, %317 ]
  %319 = load i64, ptr %25, align 8
  %320 = add i64 %319, -7046029254386353131
  store i64 %320, ptr %25, align 8
  %321 = lshr i64 %320, 30
  %322 = xor i64 %321, %320
  %323 = mul i64 %322, -4658895280553007687
  %324 = lshr i64 %323, 27
  %325 = xor i64 %324, %323
  %326 = mul i64 %325, -7723592293110705685
  %327 = lshr i64 %326, 31
  %328 = xor i64 %327, %326
  %329 = urem i64 %328, %318
  %330 = load ptr, ptr %24, align 8
  %331 = add nsw i64 %318, -1
  %332 = getelementptr inbounds nuw i32, ptr %330, i64 %331
  %333 = load i32, ptr %332, align 4
  %334 = getelementptr inbounds nuw i32, ptr %330, i64 %329
  %335 = load i32, ptr %334, align 4
  store i32 %335, ptr %332, align 4
  %336 = load ptr, ptr %24, align 8
  %337 = getelementptr inbounds nuw i32, ptr %336, i64 %329
  store i32 %333, ptr %337, align 4
  %338 = icmp ugt i64 %331, 1
  br i1 %338, label %317, label %339, !llvm.loop !110

339:                                              ; preds = %317
  %340 = load i32, ptr %22, align 8
  br label %341

341:                                              ; preds = %339, %309
  %342 = phi i32 [ %340, %339 ], [ %312, %309 ]
  %343 = load i64, ptr %26, align 8
  %344 = icmp eq i32 %342, 0
  br i1 %344, label %345, label %348

345:                                              ; preds = %341
  store i32 0, ptr %22, align 8
  %346 = load i64, ptr %27, align 8
  %347 = add i64 %346, 1
  store i64 %347, ptr %27, align 8
  br label %703

348:                                              ; preds = %341
  %349 = icmp ne i32 %45, 0
  %350 = icmp eq i32 %45, 0
  br label %355

351:                                              ; preds = %697
  store i32 %698, ptr %22, align 8
  %352 = load i64, ptr %27, align 8
  %353 = add i64 %352, 1
  store i64 %353, ptr %27, align 8
  %354 = icmp eq i32 %630, -1
  br i1 %354, label %703, label %896

355:                                              ; preds = %348, %697
  %356 = phi i64 [ 0, %348 ], [ %699, %697 ]
  %357 = phi i32 [ -1, %348 ], [ %630, %697 ]
  %358 = phi i32 [ 0, %348 ], [ %698, %697 ]
  %359 = load ptr, ptr %11, align 8
  %360 = load ptr, ptr %24, align 8
  %361 = getelementptr inbounds nuw i32, ptr %360, i64 %356
  %362 = load i32, ptr %361, align 4
  %363 = zext i32 %362 to i64
  %364 = getelementptr inbounds nuw %struct.Wg, ptr %359, i64 %363
  %365 = icmp eq i32 %357, -1
  br i1 %365, label %366, label %629

366:                                              ; preds = %355
  %367 = getelementptr inbounds nuw i8, ptr %364, i64 20
  %368 = load i32, ptr %367, align 4
  %369 = icmp eq i32 %368, 0
  br i1 %369, label %629, label %370

370:                                              ; preds = %366
  %371 = load i64, ptr %8, align 8
  %372 = getelementptr inbounds nuw i8, ptr %364, i64 64
  %373 = load i64, ptr %372, align 8
  %374 = icmp ult i64 %371, %373
  br i1 %374, label %375, label %379

375:                                              ; preds = %370
  %376 = load i64, ptr %5, align 8
  %377 = icmp slt i64 %373, %376
  br i1 %377, label %378, label %629

378:                                              ; preds = %375
  store i64 %373, ptr %5, align 8
  br label %629

379:                                              ; preds = %370
  %380 = getelementptr inbounds nuw i8, ptr %364, i64 72
  %381 = load i64, ptr %380, align 8
  %382 = add i64 %371, 1
  %383 = add i64 %381, -1
  %384 = icmp ult i64 %383, %382
  br i1 %384, label %629, label %385

385:                                              ; preds = %379
  %386 = getelementptr inbounds nuw i8, ptr %364, i64 80
  %387 = load i32, ptr %386, align 8
  %388 = icmp eq i32 %387, 0
  %389 = or i1 %349, %388
  br i1 %389, label %395, label %390

390:                                              ; preds = %385
  %391 = load i64, ptr %27, align 8
  %392 = zext i32 %387 to i64
  %393 = urem i64 %391, %392
  %394 = icmp eq i64 %393, 0
  br i1 %394, label %395, label %629

395:                                              ; preds = %390, %385
  %396 = getelementptr inbounds nuw i8, ptr %364, i64 16
  %397 = getelementptr inbounds nuw i8, ptr %364, i64 104
  %398 = getelementptr inbounds nuw i8, ptr %364, i64 24
  %399 = getelementptr inbounds nuw i8, ptr %364, i64 28
  br label %400

400:                                              ; preds = %626, %395
  %401 = phi i64 [ 0, %395 ], [ %622, %626 ]
  %402 = phi i64 [ 0, %395 ], [ %623, %626 ]
  %403 = load i32, ptr %396, align 8
  %404 = load i32, ptr %28, align 4
  %405 = icmp eq i32 %404, 0
  br i1 %405, label %420, label %406

406:                                              ; preds = %400
  %407 = load i64, ptr %25, align 8
  %408 = add i64 %407, -7046029254386353131
  store i64 %408, ptr %25, align 8
  %409 = lshr i64 %408, 30
  %410 = xor i64 %409, %408
  %411 = mul i64 %410, -4658895280553007687
  %412 = lshr i64 %411, 27
  %413 = xor i64 %412, %411
  %414 = mul i64 %413, -7723592293110705685
  %415 = lshr i64 %414, 31
  %416 = xor i64 %415, %414
  %417 = zext i32 %403 to i64
  %418 = urem i64 %416, %417
  %419 = trunc nuw i64 %418 to i32
  br label %420

420:                                              ; preds = %406, %400
  %421 = phi i32 [ %419, %406 ], [ 0, %400 ]
  %422 = icmp eq i32 %403, 0
  br i1 %422, label %629, label %423

423:                                              ; preds = %420, %620
  %424 = phi i64 [ %623, %620 ], [ %402, %420 ]
  %425 = phi i64 [ %622, %620 ], [ %401, %420 ]
  %426 = phi i32 [ %624, %620 ], [ 0, %420 ]
  %427 = phi i32 [ %621, %620 ], [ 0, %420 ]
  %428 = load i32, ptr %10, align 8
  %429 = icmp eq i32 %428, 1
  br i1 %429, label %430, label %433

430:                                              ; preds = %423
  %431 = xor i32 %426, -1
  %432 = add i32 %403, %431
  br label %436

433:                                              ; preds = %423
  %434 = add i32 %426, %421
  %435 = urem i32 %434, %403
  br label %436

436:                                              ; preds = %433, %430
  %437 = phi i32 [ %432, %430 ], [ %435, %433 ]
  %438 = load ptr, ptr %397, align 8
  %439 = zext i32 %437 to i64
  %440 = getelementptr inbounds nuw %struct.Wave, ptr %438, i64 %439
  %441 = getelementptr inbounds nuw i8, ptr %440, i64 120
  %442 = load i32, ptr %441, align 8
  switch i32 %442, label %620 [
    i32 2, label %443
    i32 0, label %470
  ]

443:                                              ; preds = %436
  %444 = shl nuw i64 1, %439
  %445 = and i64 %444, %424
  %446 = icmp eq i64 %445, 0
  br i1 %446, label %447, label %620

447:                                              ; preds = %443
  br i1 %350, label %448, label %474

448:                                              ; preds = %447
  %449 = getelementptr inbounds nuw i8, ptr %440, i64 132
  %450 = load i32, ptr %449, align 4
  %451 = add i32 %450, -49
  %452 = icmp ult i32 %451, -48
  br i1 %452, label %474, label %453

453:                                              ; preds = %448
  %454 = load ptr, ptr %29, align 8
  %455 = getelementptr inbounds nuw i8, ptr %440, i64 144
  %456 = getelementptr inbounds nuw i8, ptr %440, i64 136
  %457 = load i64, ptr %456, align 8
  %458 = zext nneg i32 %450 to i64
  br label %462

459:                                              ; preds = %462
  %460 = add nuw nsw i64 %463, 1
  %461 = icmp eq i64 %460, %458
  br i1 %461, label %620, label %462, !llvm.loop !111

462:                                              ; preds = %459, %453
  %463 = phi i64 [ 0, %453 ], [ %460, %459 ]
  %464 = getelementptr inbounds nuw i16, ptr %455, i64 %463
  %465 = load i16, ptr %464, align 2
  %466 = zext i16 %465 to i64
  %467 = getelementptr inbounds nuw i64, ptr %454, i64 %466
  %468 = load i64, ptr %467, align 8
  %469 = icmp ugt i64 %468, %457
  br i1 %469, label %474, label %459

470:                                              ; preds = %436
  %471 = shl nuw i64 1, %439
  %472 = and i64 %471, %425
  %473 = icmp eq i64 %472, 0
  br i1 %473, label %474, label %620

474:                                              ; preds = %462, %470, %448, %447
  %475 = phi i64 [ %471, %470 ], [ %444, %447 ], [ %444, %448 ], [ %444, %462 ]
  %476 = or i64 %475, %424
  store ptr %440, ptr %30, align 8
  %477 = load i32, ptr %441, align 8
  %478 = icmp eq i32 %477, 2
  br i1 %478, label %479, label %483

479:                                              ; preds = %474
  store i32 0, ptr %441, align 8
  %480 = getelementptr inbounds nuw i8, ptr %440, i64 132
  store i32 0, ptr %480, align 4
  %481 = load i64, ptr %31, align 8
  %482 = add i64 %481, 1
  store i64 %482, ptr %31, align 8
  br label %483

483:                                              ; preds = %479, %474
  %484 = load i32, ptr %32, align 4
  %485 = icmp eq i32 %484, 0
  br i1 %485, label %502, label %486

486:                                              ; preds = %483
  %487 = load i64, ptr %25, align 8
  %488 = add i64 %487, -7046029254386353131
  store i64 %488, ptr %25, align 8
  %489 = lshr i64 %488, 30
  %490 = xor i64 %489, %488
  %491 = mul i64 %490, -4658895280553007687
  %492 = lshr i64 %491, 27
  %493 = xor i64 %492, %491
  %494 = mul i64 %493, -7723592293110705685
  %495 = lshr i64 %494, 31
  %496 = xor i64 %495, %494
  %497 = load i32, ptr %14, align 8
  %498 = zext i32 %497 to i64
  %499 = urem i64 %496, %498
  %500 = trunc nuw i64 %499 to i32
  %501 = add nuw i32 %500, 1
  br label %504

502:                                              ; preds = %483
  %503 = load i32, ptr %14, align 8
  br label %504

504:                                              ; preds = %502, %486
  %505 = phi i32 [ %501, %486 ], [ %503, %502 ]
  %506 = getelementptr inbounds nuw i8, ptr %440, i64 36
  store i32 %505, ptr %506, align 4
  %507 = load i64, ptr %33, align 8
  %508 = add i64 %507, 1
  store i64 %508, ptr %33, align 8
  %509 = getelementptr inbounds nuw i8, ptr %440, i64 64
  br label %510

510:                                              ; preds = %514, %504
  %511 = load ptr, ptr %509, align 8
  tail call void @kk3_switch(ptr noundef nonnull %35, ptr noundef %511) #19
  %512 = load i32, ptr %36, align 8
  %513 = icmp eq i32 %512, 5
  br i1 %513, label %514, label %520

514:                                              ; preds = %510
  %515 = load ptr, ptr %34, align 8
  %516 = load i64, ptr %37, align 8
  %517 = load i64, ptr %38, align 8
  %518 = tail call i32 %515(i64 noundef %516, i64 noundef %517) #19
  %519 = icmp eq i32 %518, 0
  br i1 %519, label %510, label %520, !llvm.loop !112

520:                                              ; preds = %514, %510
  %521 = getelementptr inbounds nuw i8, ptr %440, i64 72
  %522 = load ptr, ptr %521, align 8
  %523 = load i64, ptr %522, align 8
  %524 = icmp eq i64 %523, 7740336869348568673
  br i1 %524, label %530, label %525

525:                                              ; preds = %520
  %526 = getelementptr inbounds nuw i8, ptr %440, i64 124
  %527 = load i32, ptr %526, align 4
  %528 = load i64, ptr %19, align 8
  %529 = tail call ptr @kk3_find(ptr noundef nonnull %0, ptr noundef nonnull %440, i32 noundef 11, i32 noundef %527, i64 noundef 0, i32 noundef 0, i64 noundef %528) #18
  br label %629

530:                                              ; preds = %520
  %531 = load i32, ptr %36, align 8
  switch i32 %531, label %609 [
    i32 5, label %629
    i32 4, label %628
    i32 0, label %532
    i32 1, label %564
    i32 2, label %606
  ]

532:                                              ; preds = %530
  store i32 3, ptr %441, align 8
  %533 = load i32, ptr %367, align 4
  %534 = add i32 %533, -1
  store i32 %534, ptr %367, align 4
  %535 = load i64, ptr %26, align 8
  %536 = add i64 %535, 1
  store i64 %536, ptr %26, align 8
  tail call fastcc void @end_wave(ptr noundef nonnull %0, ptr noundef nonnull %440) #18
  %537 = load i32, ptr %398, align 8
  %538 = icmp eq i32 %537, 0
  br i1 %538, label %607, label %539

539:                                              ; preds = %532
  %540 = load i32, ptr %367, align 4
  %541 = icmp eq i32 %540, 0
  br i1 %541, label %607, label %542

542:                                              ; preds = %539
  %543 = load i32, ptr %396, align 8
  %544 = icmp eq i32 %543, 0
  br i1 %544, label %629, label %545

545:                                              ; preds = %542
  %546 = load ptr, ptr %397, align 8
  %547 = zext i32 %543 to i64
  br label %551

548:                                              ; preds = %551
  %549 = add nuw nsw i64 %552, 1
  %550 = icmp eq i64 %549, %547
  br i1 %550, label %629, label %551, !llvm.loop !113

551:                                              ; preds = %548, %545
  %552 = phi i64 [ 0, %545 ], [ %549, %548 ]
  %553 = getelementptr inbounds nuw %struct.Wave, ptr %546, i64 %552
  %554 = getelementptr inbounds nuw i8, ptr %553, i64 120
  %555 = load i32, ptr %554, align 8
  %556 = icmp eq i32 %555, 1
  br i1 %556, label %557, label %548

557:                                              ; preds = %551
  %558 = getelementptr inbounds nuw i8, ptr %553, i64 124
  %559 = load i32, ptr %558, align 4
  %560 = getelementptr inbounds nuw i8, ptr %440, i64 32
  %561 = load i32, ptr %560, align 8
  %562 = zext i32 %561 to i64
  %563 = tail call ptr @kk3_find(ptr noundef nonnull %0, ptr noundef nonnull %553, i32 noundef 9, i32 noundef %559, i64 noundef 0, i32 noundef 0, i64 noundef %562) #18
  br label %629

564:                                              ; preds = %530
  %565 = load i32, ptr %367, align 4
  %566 = load i32, ptr %396, align 8
  %567 = icmp ult i32 %565, %566
  br i1 %567, label %568, label %574

568:                                              ; preds = %564
  %569 = getelementptr inbounds nuw i8, ptr %440, i64 124
  %570 = load i32, ptr %569, align 4
  %571 = sub nuw i32 %566, %565
  %572 = zext i32 %571 to i64
  %573 = tail call ptr @kk3_find(ptr noundef nonnull %0, ptr noundef nonnull %440, i32 noundef 9, i32 noundef %570, i64 noundef 0, i32 noundef 0, i64 noundef %572) #18
  br label %629

574:                                              ; preds = %564
  store i32 1, ptr %441, align 8
  %575 = load i32, ptr %398, align 8
  %576 = add i32 %575, 1
  store i32 %576, ptr %398, align 8
  %577 = load i32, ptr %367, align 4
  %578 = icmp eq i32 %576, %577
  br i1 %578, label %579, label %607

579:                                              ; preds = %574
  %580 = load i32, ptr %399, align 4
  %581 = add i32 %580, 1
  store i32 %581, ptr %399, align 4
  store i32 0, ptr %398, align 8
  %582 = load i32, ptr %21, align 4
  %583 = icmp eq i32 %582, 0
  br i1 %583, label %585, label %584

584:                                              ; preds = %579
  tail call void @kk3_san_barrier(ptr noundef nonnull %364) #18
  br label %585

585:                                              ; preds = %584, %579
  %586 = load i32, ptr %396, align 8
  %587 = icmp eq i32 %586, 0
  br i1 %587, label %603, label %588

588:                                              ; preds = %585, %598
  %589 = phi i32 [ %599, %598 ], [ %586, %585 ]
  %590 = phi i64 [ %600, %598 ], [ 0, %585 ]
  %591 = load ptr, ptr %397, align 8
  %592 = getelementptr inbounds nuw %struct.Wave, ptr %591, i64 %590
  %593 = getelementptr inbounds nuw i8, ptr %592, i64 120
  %594 = load i32, ptr %593, align 8
  %595 = icmp eq i32 %594, 1
  br i1 %595, label %596, label %598

596:                                              ; preds = %588
  store i32 0, ptr %593, align 8
  %597 = load i32, ptr %396, align 8
  br label %598

598:                                              ; preds = %596, %588
  %599 = phi i32 [ %589, %588 ], [ %597, %596 ]
  %600 = add nuw nsw i64 %590, 1
  %601 = zext i32 %599 to i64
  %602 = icmp samesign ult i64 %600, %601
  br i1 %602, label %588, label %603, !llvm.loop !114

603:                                              ; preds = %598, %585
  %604 = load i64, ptr %26, align 8
  %605 = add i64 %604, 1
  store i64 %605, ptr %26, align 8
  br label %607

606:                                              ; preds = %530
  store i32 2, ptr %441, align 8
  br label %607

607:                                              ; preds = %532, %539, %574, %603, %606
  %608 = load i32, ptr %36, align 8
  br label %609

609:                                              ; preds = %607, %530
  %610 = phi i32 [ %608, %607 ], [ %531, %530 ]
  %611 = icmp eq i32 %610, 3
  br i1 %611, label %612, label %616

612:                                              ; preds = %609
  %613 = or i64 %475, %425
  %614 = load i64, ptr %26, align 8
  %615 = add i64 %614, 1
  store i64 %615, ptr %26, align 8
  br label %616

616:                                              ; preds = %612, %609
  %617 = phi i64 [ %613, %612 ], [ %425, %609 ]
  %618 = load i32, ptr %367, align 4
  %619 = icmp eq i32 %618, 0
  br i1 %619, label %629, label %620

620:                                              ; preds = %459, %616, %470, %443, %436
  %621 = phi i32 [ %427, %436 ], [ 1, %616 ], [ %427, %470 ], [ %427, %443 ], [ %427, %459 ]
  %622 = phi i64 [ %425, %436 ], [ %617, %616 ], [ %425, %470 ], [ %425, %443 ], [ %425, %459 ]
  %623 = phi i64 [ %424, %436 ], [ %476, %616 ], [ %424, %470 ], [ %424, %443 ], [ %424, %459 ]
  %624 = add nuw i32 %426, 1
  %625 = icmp eq i32 %624, %403
  br i1 %625, label %626, label %423, !llvm.loop !115

626:                                              ; preds = %620
  %627 = icmp eq i32 %621, 0
  br i1 %627, label %629, label %400, !llvm.loop !116

628:                                              ; preds = %530
  br label %629

629:                                              ; preds = %626, %420, %548, %616, %530, %628, %375, %378, %568, %557, %542, %525, %390, %379, %366, %355
  %630 = phi i32 [ 1, %628 ], [ -1, %390 ], [ -1, %379 ], [ -1, %366 ], [ %357, %355 ], [ 1, %568 ], [ -1, %378 ], [ 1, %548 ], [ 1, %525 ], [ 1, %542 ], [ 1, %557 ], [ -1, %375 ], [ 2, %530 ], [ -1, %616 ], [ -1, %420 ], [ -1, %626 ]
  %631 = getelementptr inbounds nuw i8, ptr %364, i64 20
  %632 = load i32, ptr %631, align 4
  %633 = icmp eq i32 %632, 0
  br i1 %633, label %634, label %690

634:                                              ; preds = %629
  %635 = load ptr, ptr %364, align 8
  %636 = load i32, ptr %21, align 4
  %637 = icmp eq i32 %636, 0
  br i1 %637, label %641, label %638

638:                                              ; preds = %634
  %639 = getelementptr inbounds nuw i8, ptr %364, i64 112
  %640 = load ptr, ptr %639, align 8
  tail call void @free(ptr noundef %640) #19
  store ptr null, ptr %639, align 8
  br label %641

641:                                              ; preds = %638, %634
  %642 = getelementptr inbounds nuw i8, ptr %364, i64 16
  %643 = load i32, ptr %642, align 8
  %644 = icmp eq i32 %643, 0
  br i1 %644, label %647, label %645

645:                                              ; preds = %641
  %646 = getelementptr inbounds nuw i8, ptr %364, i64 104
  br label %669

647:                                              ; preds = %679, %641
  %648 = getelementptr inbounds nuw i8, ptr %364, i64 36
  %649 = load i32, ptr %648, align 4
  %650 = getelementptr inbounds nuw i8, ptr %635, i64 128
  %651 = load ptr, ptr %650, align 8
  %652 = getelementptr inbounds nuw i8, ptr %364, i64 12
  %653 = load i32, ptr %652, align 4
  %654 = zext i32 %653 to i64
  %655 = getelementptr inbounds nuw i32, ptr %651, i64 %654
  store i32 %649, ptr %655, align 4
  %656 = getelementptr inbounds nuw i8, ptr %364, i64 88
  %657 = load ptr, ptr %656, align 8
  tail call void @free(ptr noundef %657) #19
  %658 = getelementptr inbounds nuw i8, ptr %364, i64 96
  %659 = load ptr, ptr %658, align 8
  tail call void @free(ptr noundef %659) #19
  %660 = getelementptr inbounds nuw i8, ptr %364, i64 104
  %661 = load ptr, ptr %660, align 8
  tail call void @free(ptr noundef %661) #19
  store ptr null, ptr %658, align 8
  store ptr null, ptr %656, align 8
  store ptr null, ptr %660, align 8
  %662 = getelementptr inbounds nuw i8, ptr %364, i64 32
  store i32 0, ptr %662, align 8
  %663 = getelementptr inbounds nuw i8, ptr %635, i64 88
  %664 = load i32, ptr %663, align 8
  %665 = add i32 %664, 1
  store i32 %665, ptr %663, align 8
  %666 = getelementptr inbounds nuw i8, ptr %635, i64 48
  %667 = load i32, ptr %666, align 8
  %668 = icmp eq i32 %665, %667
  br i1 %668, label %684, label %687

669:                                              ; preds = %679, %645
  %670 = phi i32 [ %643, %645 ], [ %680, %679 ]
  %671 = phi i64 [ 0, %645 ], [ %681, %679 ]
  %672 = load ptr, ptr %646, align 8
  %673 = getelementptr inbounds nuw %struct.Wave, ptr %672, i64 %671
  %674 = getelementptr inbounds nuw i8, ptr %673, i64 72
  %675 = load ptr, ptr %674, align 8
  %676 = icmp eq ptr %675, null
  br i1 %676, label %679, label %677

677:                                              ; preds = %669
  tail call fastcc void @end_wave(ptr noundef %0, ptr noundef nonnull %673) #18
  %678 = load i32, ptr %642, align 8
  br label %679

679:                                              ; preds = %677, %669
  %680 = phi i32 [ %670, %669 ], [ %678, %677 ]
  %681 = add nuw nsw i64 %671, 1
  %682 = zext i32 %680 to i64
  %683 = icmp samesign ult i64 %681, %682
  br i1 %683, label %669, label %647, !llvm.loop !117

684:                                              ; preds = %647
  %685 = load i64, ptr %8, align 8
  %686 = getelementptr inbounds nuw i8, ptr %635, i64 112
  store i64 %685, ptr %686, align 8
  br label %687

687:                                              ; preds = %647, %684
  %688 = load i64, ptr %26, align 8
  %689 = add i64 %688, 1
  store i64 %689, ptr %26, align 8
  br label %697

690:                                              ; preds = %629
  %691 = load ptr, ptr %24, align 8
  %692 = getelementptr inbounds nuw i32, ptr %691, i64 %356
  %693 = load i32, ptr %692, align 4
  %694 = add i32 %358, 1
  %695 = zext i32 %358 to i64
  %696 = getelementptr inbounds nuw i32, ptr %691, i64 %695
  store i32 %693, ptr %696, align 4
  br label %697

697:                                              ; preds = %690, %687
  %698 = phi i32 [ %694, %690 ], [ %358, %687 ]
  %699 = add nuw nsw i64 %356, 1
  %700 = load i32, ptr %22, align 8
  %701 = zext i32 %700 to i64
  %702 = icmp samesign ult i64 %699, %701
  br i1 %702, label %355, label %351, !llvm.loop !118

703:                                              ; preds = %345, %351
  %704 = phi i32 [ 0, %345 ], [ %698, %351 ]
  %705 = load i64, ptr %39, align 8
  %706 = load i64, ptr %8, align 8
  %707 = add i64 %706, %705
  store i64 %707, ptr %8, align 8
  %708 = load i64, ptr %26, align 8
  %709 = icmp eq i64 %708, %343
  br i1 %709, label %711, label %710

710:                                              ; preds = %703
  store i64 0, ptr %40, align 8
  br label %892

711:                                              ; preds = %703
  %712 = load i64, ptr %40, align 8
  %713 = tail call i64 @llvm.umin.i64(i64 %712, i64 40)
  %714 = shl i64 %705, %713
  %715 = load i64, ptr %41, align 8
  %716 = tail call i64 @llvm.umin.i64(i64 %714, i64 %715)
  %717 = add i64 %712, 1
  store i64 %717, ptr %40, align 8
  %718 = load i64, ptr %5, align 8
  %719 = icmp eq i64 %718, 9223372036854775807
  %720 = add i64 %716, %707
  %721 = freeze i64 %720
  br i1 %719, label %722, label %724

722:                                              ; preds = %711
  store i64 %721, ptr %8, align 8
  %723 = icmp eq i32 %704, 0
  br i1 %723, label %740, label %731

724:                                              ; preds = %711
  %725 = icmp sgt i64 %721, %718
  %726 = tail call i64 @llvm.usub.sat.i64(i64 %718, i64 %707)
  %727 = select i1 %725, i64 %726, i64 %716
  %728 = add i64 %727, %707
  %729 = freeze i64 %728
  store i64 %729, ptr %8, align 8
  %730 = icmp eq i32 %704, 0
  br i1 %730, label %837, label %731

731:                                              ; preds = %724, %722
  %732 = phi i64 [ %729, %724 ], [ %721, %722 ]
  %733 = phi i32 [ 1, %724 ], [ %81, %722 ]
  %734 = load ptr, ptr %11, align 8
  %735 = load ptr, ptr %24, align 8
  %736 = add i64 %732, 1
  %737 = zext i32 %704 to i64
  br label %742

738:                                              ; preds = %773
  %739 = icmp eq i32 %733, 0
  br i1 %739, label %777, label %832

740:                                              ; preds = %722
  %741 = icmp eq i32 %81, 0
  br i1 %741, label %896, label %837

742:                                              ; preds = %731, %773
  %743 = phi i64 [ 0, %731 ], [ %775, %773 ]
  %744 = phi i32 [ 0, %731 ], [ %774, %773 ]
  %745 = getelementptr inbounds nuw i32, ptr %735, i64 %743
  %746 = load i32, ptr %745, align 4
  %747 = zext i32 %746 to i64
  %748 = getelementptr inbounds nuw %struct.Wg, ptr %734, i64 %747
  %749 = getelementptr inbounds nuw i8, ptr %748, i64 72
  %750 = load i64, ptr %749, align 8
  %751 = add i64 %750, -1
  %752 = icmp ult i64 %751, %736
  br i1 %752, label %773, label %753

753:                                              ; preds = %742
  %754 = getelementptr inbounds nuw i8, ptr %748, i64 16
  %755 = load i32, ptr %754, align 8
  %756 = icmp eq i32 %755, 0
  br i1 %756, label %773, label %757

757:                                              ; preds = %753
  %758 = getelementptr inbounds nuw i8, ptr %748, i64 104
  %759 = load ptr, ptr %758, align 8
  %760 = zext i32 %755 to i64
  br label %761

761:                                              ; preds = %757, %761
  %762 = phi i64 [ 0, %757 ], [ %771, %761 ]
  %763 = phi i32 [ %744, %757 ], [ %770, %761 ]
  %764 = getelementptr inbounds nuw %struct.Wave, ptr %759, i64 %762
  %765 = getelementptr inbounds nuw i8, ptr %764, i64 120
  %766 = load i32, ptr %765, align 8
  %767 = and i32 %766, -3
  %768 = icmp eq i32 %767, 0
  %769 = zext i1 %768 to i32
  %770 = or i32 %763, %769
  %771 = add nuw nsw i64 %762, 1
  %772 = icmp eq i64 %771, %760
  br i1 %772, label %773, label %761, !llvm.loop !119

773:                                              ; preds = %761, %753, %742
  %774 = phi i32 [ %744, %742 ], [ %744, %753 ], [ %770, %761 ]
  %775 = add nuw nsw i64 %743, 1
  %776 = icmp eq i64 %775, %737
  br i1 %776, label %738, label %742, !llvm.loop !120

777:                                              ; preds = %738
  %778 = icmp eq i32 %774, 0
  br i1 %778, label %782, label %779

779:                                              ; preds = %777
  %780 = load i64, ptr %42, align 8
  %781 = icmp ugt i64 %717, %780
  br i1 %781, label %782, label %832

782:                                              ; preds = %777, %779
  br label %783

783:                                              ; preds = %782, %800
  %784 = phi i32 [ %801, %800 ], [ %704, %782 ]
  %785 = phi i64 [ %802, %800 ], [ 0, %782 ]
  %786 = load ptr, ptr %11, align 8
  %787 = load ptr, ptr %24, align 8
  %788 = getelementptr inbounds nuw i32, ptr %787, i64 %785
  %789 = load i32, ptr %788, align 4
  %790 = zext i32 %789 to i64
  %791 = getelementptr inbounds nuw %struct.Wg, ptr %786, i64 %790
  %792 = getelementptr inbounds nuw i8, ptr %791, i64 16
  %793 = load i32, ptr %792, align 8
  %794 = icmp eq i32 %793, 0
  br i1 %794, label %800, label %795

795:                                              ; preds = %783
  %796 = getelementptr inbounds nuw i8, ptr %791, i64 104
  %797 = getelementptr inbounds nuw i8, ptr %791, i64 72
  br label %805

798:                                              ; preds = %827
  %799 = load i32, ptr %22, align 8
  br label %800

800:                                              ; preds = %798, %783
  %801 = phi i32 [ %799, %798 ], [ %784, %783 ]
  %802 = add nuw nsw i64 %785, 1
  %803 = zext i32 %801 to i64
  %804 = icmp samesign ult i64 %802, %803
  br i1 %804, label %783, label %896, !llvm.loop !121

805:                                              ; preds = %827, %795
  %806 = phi i64 [ 0, %795 ], [ %828, %827 ]
  %807 = load ptr, ptr %796, align 8
  %808 = getelementptr inbounds nuw %struct.Wave, ptr %807, i64 %806
  %809 = getelementptr inbounds nuw i8, ptr %808, i64 120
  %810 = load i32, ptr %809, align 8
  %811 = icmp eq i32 %810, 3
  br i1 %811, label %827, label %812

812:                                              ; preds = %805
  %813 = getelementptr inbounds nuw i8, ptr %808, i64 124
  %814 = load i32, ptr %813, align 4
  %815 = zext i32 %810 to i64
  %816 = tail call ptr @kk3_find(ptr noundef %0, ptr noundef nonnull %808, i32 noundef 10, i32 noundef %814, i64 noundef 0, i32 noundef 0, i64 noundef %815) #18
  %817 = icmp eq ptr %816, null
  br i1 %817, label %827, label %818

818:                                              ; preds = %812
  %819 = load i64, ptr %797, align 8
  %820 = icmp eq i64 %819, 0
  br i1 %820, label %827, label %821

821:                                              ; preds = %818
  %822 = load i64, ptr %8, align 8
  %823 = add i64 %822, 1
  %824 = icmp ult i64 %823, %819
  br i1 %824, label %827, label %825

825:                                              ; preds = %821
  %826 = getelementptr inbounds nuw i8, ptr %816, i64 64
  store i64 4, ptr %826, align 8
  br label %827

827:                                              ; preds = %825, %821, %818, %812, %805
  %828 = add nuw nsw i64 %806, 1
  %829 = load i32, ptr %792, align 8
  %830 = zext i32 %829 to i64
  %831 = icmp samesign ult i64 %828, %830
  br i1 %831, label %805, label %798, !llvm.loop !122

832:                                              ; preds = %779, %738
  %833 = load i64, ptr %43, align 8
  %834 = icmp ne i64 %833, 0
  %835 = icmp ugt i64 %732, %833
  %836 = and i1 %834, %835
  br i1 %836, label %843, label %892

837:                                              ; preds = %724, %740
  %838 = phi i64 [ %721, %740 ], [ %729, %724 ]
  %839 = load i64, ptr %43, align 8
  %840 = icmp ne i64 %839, 0
  %841 = icmp ugt i64 %838, %839
  %842 = and i1 %840, %841
  br i1 %842, label %896, label %892

843:                                              ; preds = %832, %860
  %844 = phi i32 [ %861, %860 ], [ %704, %832 ]
  %845 = phi i64 [ %862, %860 ], [ 0, %832 ]
  %846 = load ptr, ptr %11, align 8
  %847 = load ptr, ptr %24, align 8
  %848 = getelementptr inbounds nuw i32, ptr %847, i64 %845
  %849 = load i32, ptr %848, align 4
  %850 = zext i32 %849 to i64
  %851 = getelementptr inbounds nuw %struct.Wg, ptr %846, i64 %850
  %852 = getelementptr inbounds nuw i8, ptr %851, i64 16
  %853 = load i32, ptr %852, align 8
  %854 = icmp eq i32 %853, 0
  br i1 %854, label %860, label %855

855:                                              ; preds = %843
  %856 = getelementptr inbounds nuw i8, ptr %851, i64 104
  %857 = getelementptr inbounds nuw i8, ptr %851, i64 72
  br label %865

858:                                              ; preds = %887
  %859 = load i32, ptr %22, align 8
  br label %860

860:                                              ; preds = %858, %843
  %861 = phi i32 [ %859, %858 ], [ %844, %843 ]
  %862 = add nuw nsw i64 %845, 1
  %863 = zext i32 %861 to i64
  %864 = icmp samesign ult i64 %862, %863
  br i1 %864, label %843, label %896, !llvm.loop !121

865:                                              ; preds = %887, %855
  %866 = phi i64 [ 0, %855 ], [ %888, %887 ]
  %867 = load ptr, ptr %856, align 8
  %868 = getelementptr inbounds nuw %struct.Wave, ptr %867, i64 %866
  %869 = getelementptr inbounds nuw i8, ptr %868, i64 120
  %870 = load i32, ptr %869, align 8
  %871 = icmp eq i32 %870, 3
  br i1 %871, label %887, label %872

872:                                              ; preds = %865
  %873 = getelementptr inbounds nuw i8, ptr %868, i64 124
  %874 = load i32, ptr %873, align 4
  %875 = zext i32 %870 to i64
  %876 = tail call ptr @kk3_find(ptr noundef %0, ptr noundef nonnull %868, i32 noundef 10, i32 noundef %874, i64 noundef 0, i32 noundef 0, i64 noundef %875) #18
  %877 = icmp eq ptr %876, null
  br i1 %877, label %887, label %878

878:                                              ; preds = %872
  %879 = load i64, ptr %857, align 8
  %880 = icmp eq i64 %879, 0
  br i1 %880, label %887, label %881

881:                                              ; preds = %878
  %882 = load i64, ptr %8, align 8
  %883 = add i64 %882, 1
  %884 = icmp ult i64 %883, %879
  br i1 %884, label %887, label %885

885:                                              ; preds = %881
  %886 = getelementptr inbounds nuw i8, ptr %876, i64 64
  store i64 4, ptr %886, align 8
  br label %887

887:                                              ; preds = %885, %881, %878, %872, %865
  %888 = add nuw nsw i64 %866, 1
  %889 = load i32, ptr %852, align 8
  %890 = zext i32 %889 to i64
  %891 = icmp samesign ult i64 %888, %890
  br i1 %891, label %865, label %858, !llvm.loop !122

892:                                              ; preds = %837, %832, %710
  %893 = phi i32 [ 1, %832 ], [ 0, %710 ], [ 1, %837 ]
  %894 = add nuw i64 %46, 1
  %895 = icmp eq i64 %894, %1
  br i1 %895, label %896, label %44, !llvm.loop !123

896:                                              ; preds = %837, %740, %44, %892, %49, %351, %860, %800, %2
  %897 = phi i32 [ 4, %2 ], [ 3, %800 ], [ 3, %860 ], [ %630, %351 ], [ 0, %49 ], [ 4, %892 ], [ 0, %44 ], [ 3, %740 ], [ 3, %837 ]
  ret i32 %897
}

define void @kk3_free(ptr noundef captures(none) %0) local_unnamed_addr #0 {
  %2 = getelementptr inbounds nuw i8, ptr %0, i64 280
  %3 = load i32, ptr %2, align 8
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %9, label %5

5:                                                ; preds = %1
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 220
  br label %15

9:                                                ; preds = %34, %1
  %10 = getelementptr inbounds nuw i8, ptr %0, i64 272
  %11 = load ptr, ptr %10, align 8
  tail call void @free(ptr noundef %11) #19
  store ptr null, ptr %10, align 8
  store i32 0, ptr %2, align 8
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %13 = load i64, ptr %12, align 8
  %14 = icmp eq i64 %13, 0
  br i1 %14, label %59, label %63

15:                                               ; preds = %5, %34
  %16 = phi i64 [ 0, %5 ], [ %41, %34 ]
  %17 = load ptr, ptr %6, align 8
  %18 = load ptr, ptr %7, align 8
  %19 = getelementptr inbounds nuw i32, ptr %18, i64 %16
  %20 = load i32, ptr %19, align 4
  %21 = zext i32 %20 to i64
  %22 = getelementptr inbounds nuw %struct.Wg, ptr %17, i64 %21
  %23 = load i32, ptr %8, align 4
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %28, label %25

25:                                               ; preds = %15
  %26 = getelementptr inbounds nuw i8, ptr %22, i64 112
  %27 = load ptr, ptr %26, align 8
  tail call void @free(ptr noundef %27) #19
  store ptr null, ptr %26, align 8
  br label %28

28:                                               ; preds = %25, %15
  %29 = getelementptr inbounds nuw i8, ptr %22, i64 16
  %30 = load i32, ptr %29, align 8
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %34, label %32

32:                                               ; preds = %28
  %33 = getelementptr inbounds nuw i8, ptr %22, i64 104
  br label %45

34:                                               ; preds = %45, %28
  %35 = getelementptr inbounds nuw i8, ptr %22, i64 88
  %36 = load ptr, ptr %35, align 8
  tail call void @free(ptr noundef %36) #19
  %37 = getelementptr inbounds nuw i8, ptr %22, i64 96
  %38 = load ptr, ptr %37, align 8
  tail call void @free(ptr noundef %38) #19
  %39 = getelementptr inbounds nuw i8, ptr %22, i64 104
  %40 = load ptr, ptr %39, align 8
  tail call void @free(ptr noundef %40) #19
  %41 = add nuw nsw i64 %16, 1
  %42 = load i32, ptr %2, align 8
  %43 = zext i32 %42 to i64
  %44 = icmp samesign ult i64 %41, %43
  br i1 %44, label %15, label %9, !llvm.loop !124

45:                                               ; preds = %32, %45
  %46 = phi i64 [ 0, %32 ], [ %55, %45 ]
  %47 = load ptr, ptr %33, align 8
  %48 = getelementptr inbounds nuw %struct.Wave, ptr %47, i64 %46
  %49 = getelementptr inbounds nuw i8, ptr %48, i64 240
  %50 = load ptr, ptr %49, align 8
  tail call void @free(ptr noundef %50) #19
  %51 = load ptr, ptr %33, align 8
  %52 = getelementptr inbounds nuw %struct.Wave, ptr %51, i64 %46
  %53 = getelementptr inbounds nuw i8, ptr %52, i64 248
  %54 = load ptr, ptr %53, align 8
  tail call void @free(ptr noundef %54) #19
  %55 = add nuw nsw i64 %46, 1
  %56 = load i32, ptr %29, align 8
  %57 = zext i32 %56 to i64
  %58 = icmp samesign ult i64 %55, %57
  br i1 %58, label %45, label %34, !llvm.loop !125

59:                                               ; preds = %81, %9
  %60 = getelementptr inbounds nuw i8, ptr %0, i64 220
  %61 = load i32, ptr %60, align 4
  %62 = icmp eq i32 %61, 0
  br i1 %62, label %88, label %87

63:                                               ; preds = %9, %81
  %64 = phi i64 [ %84, %81 ], [ 0, %9 ]
  %65 = load ptr, ptr %0, align 8
  %66 = getelementptr inbounds nuw %struct.Region, ptr %65, i64 %64
  %67 = getelementptr inbounds nuw i8, ptr %66, i64 56
  %68 = load ptr, ptr %67, align 8
  %69 = icmp eq ptr %68, null
  br i1 %69, label %81, label %72

70:                                               ; preds = %72
  %71 = load ptr, ptr %67, align 8
  tail call void @free(ptr noundef %71) #19
  br label %81

72:                                               ; preds = %63, %72
  %73 = phi i64 [ %77, %72 ], [ 0, %63 ]
  %74 = load ptr, ptr %67, align 8
  %75 = getelementptr inbounds nuw ptr, ptr %74, i64 %73
  %76 = load ptr, ptr %75, align 8
  tail call void @free(ptr noundef %76) #19
  %77 = add nuw nsw i64 %73, 1
  %78 = load i64, ptr %66, align 8
  %79 = lshr i64 %78, 16
  %80 = icmp samesign ult i64 %73, %79
  br i1 %80, label %72, label %70, !llvm.loop !126

81:                                               ; preds = %70, %63
  %82 = getelementptr inbounds nuw i8, ptr %66, i64 40
  %83 = load ptr, ptr %82, align 8
  tail call void @free(ptr noundef %83) #19
  store ptr null, ptr %67, align 8
  store ptr null, ptr %82, align 8
  %84 = add nuw i64 %64, 1
  %85 = load i64, ptr %12, align 8
  %86 = icmp ult i64 %84, %85
  br i1 %86, label %63, label %59, !llvm.loop !127

87:                                               ; preds = %59
  tail call void @kk3_san_free(ptr noundef nonnull %0) #18
  br label %88

88:                                               ; preds = %87, %59
  ret void
}

define void @kk3_san_end(ptr noundef readnone captures(none) %0, ptr noundef captures(none) %1) local_unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %1, i64 112
  %4 = load ptr, ptr %3, align 8
  tail call void @free(ptr noundef %4) #19
  store ptr null, ptr %3, align 8
  ret void
}

declare void @free(ptr noundef) local_unnamed_addr #4

define void @kk3_san_free(ptr noundef readonly captures(none) %0) local_unnamed_addr #0 {
  %2 = load ptr, ptr @sans, align 8
  %3 = icmp eq ptr %2, null
  br i1 %3, label %126, label %4

4:                                                ; preds = %1
  %5 = load i32, ptr @nsans, align 4
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %7, label %12

7:                                                ; preds = %70, %4
  %8 = phi ptr [ %2, %4 ], [ %72, %70 ]
  %9 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %10 = load i64, ptr %9, align 8
  %11 = icmp eq i64 %10, 0
  br i1 %11, label %78, label %82

12:                                               ; preds = %4, %70
  %13 = phi i32 [ %71, %70 ], [ %5, %4 ]
  %14 = phi ptr [ %72, %70 ], [ %2, %4 ]
  %15 = phi i64 [ %73, %70 ], [ 0, %4 ]
  %16 = getelementptr inbounds nuw ptr, ptr %14, i64 %15
  %17 = load ptr, ptr %16, align 8
  %18 = icmp eq ptr %17, null
  br i1 %18, label %70, label %19

19:                                               ; preds = %12
  %20 = load i32, ptr %17, align 8
  %21 = icmp eq i32 %20, 0
  br i1 %21, label %33, label %22

22:                                               ; preds = %19
  %23 = getelementptr inbounds nuw i8, ptr %17, i64 16
  br label %24

24:                                               ; preds = %24, %22
  %25 = phi i64 [ 0, %22 ], [ %29, %24 ]
  %26 = load ptr, ptr %23, align 8
  %27 = getelementptr inbounds nuw ptr, ptr %26, i64 %25
  %28 = load ptr, ptr %27, align 8
  tail call void @free(ptr noundef %28) #19
  %29 = add nuw nsw i64 %25, 1
  %30 = load i32, ptr %17, align 8
  %31 = zext i32 %30 to i64
  %32 = icmp samesign ult i64 %29, %31
  br i1 %32, label %24, label %33, !llvm.loop !128

33:                                               ; preds = %24, %19
  %34 = getelementptr inbounds nuw i8, ptr %17, i64 8
  %35 = load ptr, ptr %34, align 8
  tail call void @free(ptr noundef %35) #19
  %36 = getelementptr inbounds nuw i8, ptr %17, i64 16
  %37 = load ptr, ptr %36, align 8
  tail call void @free(ptr noundef %37) #19
  %38 = getelementptr inbounds nuw i8, ptr %17, i64 4
  store i32 0, ptr %38, align 4
  store i32 0, ptr %17, align 8
  store ptr null, ptr %34, align 8
  store ptr null, ptr %36, align 8
  %39 = getelementptr inbounds nuw i8, ptr %17, i64 24
  %40 = getelementptr inbounds nuw i8, ptr %17, i64 408
  br label %44

41:                                               ; preds = %60
  tail call void @free(ptr noundef nonnull %17) #19
  %42 = load ptr, ptr @sans, align 8
  %43 = load i32, ptr @nsans, align 4
  br label %70

44:                                               ; preds = %33, %60
  %45 = phi i64 [ 0, %33 ], [ %68, %60 ]
  %46 = getelementptr inbounds nuw %struct.Map, ptr %39, i64 %45
  %47 = load i32, ptr %46, align 8
  %48 = icmp eq i32 %47, 0
  br i1 %48, label %60, label %49

49:                                               ; preds = %44
  %50 = getelementptr inbounds nuw i8, ptr %46, i64 16
  br label %51

51:                                               ; preds = %51, %49
  %52 = phi i64 [ 0, %49 ], [ %56, %51 ]
  %53 = load ptr, ptr %50, align 8
  %54 = getelementptr inbounds nuw ptr, ptr %53, i64 %52
  %55 = load ptr, ptr %54, align 8
  tail call void @free(ptr noundef %55) #19
  %56 = add nuw nsw i64 %52, 1
  %57 = load i32, ptr %46, align 8
  %58 = zext i32 %57 to i64
  %59 = icmp samesign ult i64 %56, %58
  br i1 %59, label %51, label %60, !llvm.loop !128

60:                                               ; preds = %51, %44
  %61 = getelementptr inbounds nuw i8, ptr %46, i64 8
  %62 = load ptr, ptr %61, align 8
  tail call void @free(ptr noundef %62) #19
  %63 = getelementptr inbounds nuw i8, ptr %46, i64 16
  %64 = load ptr, ptr %63, align 8
  tail call void @free(ptr noundef %64) #19
  %65 = getelementptr inbounds nuw i8, ptr %46, i64 4
  store i32 0, ptr %65, align 4
  store i32 0, ptr %46, align 8
  store ptr null, ptr %61, align 8
  store ptr null, ptr %63, align 8
  %66 = getelementptr inbounds nuw ptr, ptr %40, i64 %45
  %67 = load ptr, ptr %66, align 8
  tail call void @free(ptr noundef %67) #19
  %68 = add nuw nsw i64 %45, 1
  %69 = icmp eq i64 %68, 16
  br i1 %69, label %41, label %44, !llvm.loop !129

70:                                               ; preds = %12, %41
  %71 = phi i32 [ %13, %12 ], [ %43, %41 ]
  %72 = phi ptr [ %14, %12 ], [ %42, %41 ]
  %73 = add nuw nsw i64 %15, 1
  %74 = zext i32 %71 to i64
  %75 = icmp samesign ult i64 %73, %74
  br i1 %75, label %12, label %7, !llvm.loop !130

76:                                               ; preds = %121
  %77 = load ptr, ptr @sans, align 8
  br label %78

78:                                               ; preds = %76, %7
  %79 = phi ptr [ %77, %76 ], [ %8, %7 ]
  tail call void @free(ptr noundef %79) #19
  %80 = load ptr, ptr @marks, align 8
  tail call void @free(ptr noundef %80) #19
  %81 = load ptr, ptr @lines, align 8
  tail call void @free(ptr noundef %81) #19
  store ptr null, ptr @sans, align 8
  store ptr null, ptr @marks, align 8
  store ptr null, ptr @lines, align 8
  br label %126

82:                                               ; preds = %7, %121
  %83 = phi i64 [ %123, %121 ], [ 0, %7 ]
  %84 = load ptr, ptr %0, align 8
  %85 = getelementptr inbounds nuw %struct.Region, ptr %84, i64 %83
  %86 = getelementptr inbounds nuw i8, ptr %85, i64 48
  %87 = load ptr, ptr %86, align 8
  %88 = icmp eq ptr %87, null
  br i1 %88, label %100, label %89

89:                                               ; preds = %82, %89
  %90 = phi i64 [ %94, %89 ], [ 0, %82 ]
  %91 = load ptr, ptr %86, align 8
  %92 = getelementptr inbounds nuw ptr, ptr %91, i64 %90
  %93 = load ptr, ptr %92, align 8
  tail call void @free(ptr noundef %93) #19
  %94 = add nuw nsw i64 %90, 1
  %95 = load i64, ptr %85, align 8
  %96 = lshr i64 %95, 12
  %97 = icmp samesign ult i64 %90, %96
  br i1 %97, label %89, label %98, !llvm.loop !131

98:                                               ; preds = %89
  %99 = load ptr, ptr %86, align 8
  br label %100

100:                                              ; preds = %98, %82
  %101 = phi ptr [ %99, %98 ], [ null, %82 ]
  tail call void @free(ptr noundef %101) #19
  store ptr null, ptr %86, align 8
  %102 = load ptr, ptr @lines, align 8
  %103 = getelementptr inbounds nuw ptr, ptr %102, i64 %83
  %104 = load ptr, ptr %103, align 8
  %105 = icmp eq ptr %104, null
  br i1 %105, label %121, label %106

106:                                              ; preds = %100, %106
  %107 = phi i64 [ %113, %106 ], [ 0, %100 ]
  %108 = load ptr, ptr @lines, align 8
  %109 = getelementptr inbounds nuw ptr, ptr %108, i64 %83
  %110 = load ptr, ptr %109, align 8
  %111 = getelementptr inbounds nuw ptr, ptr %110, i64 %107
  %112 = load ptr, ptr %111, align 8
  tail call void @free(ptr noundef %112) #19
  %113 = add nuw nsw i64 %107, 1
  %114 = load i64, ptr %85, align 8
  %115 = lshr i64 %114, 16
  %116 = icmp samesign ult i64 %107, %115
  br i1 %116, label %106, label %117, !llvm.loop !132

117:                                              ; preds = %106
  %118 = load ptr, ptr @lines, align 8
  %119 = getelementptr inbounds nuw ptr, ptr %118, i64 %83
  %120 = load ptr, ptr %119, align 8
  br label %121

121:                                              ; preds = %117, %100
  %122 = phi ptr [ %120, %117 ], [ null, %100 ]
  tail call void @free(ptr noundef %122) #19
  %123 = add nuw i64 %83, 1
  %124 = load i64, ptr %9, align 8
  %125 = icmp ult i64 %123, %124
  br i1 %125, label %82, label %76, !llvm.loop !133

126:                                              ; preds = %1, %78
  ret void
}

define noundef nonnull ptr @kk3_layout(ptr noundef writeonly captures(none) initializes((0, 4)) %0) local_unnamed_addr #9 {
  store i32 24, ptr %0, align 4
  ret ptr @layout
}

define void @kk3_to_small(ptr noundef readonly captures(none) %0, i32 noundef %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #10 {
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds nuw i8, ptr %6, i64 768
  %8 = getelementptr inbounds nuw i8, ptr %6, i64 1024
  %9 = icmp eq i32 %3, 0
  %10 = getelementptr inbounds nuw i8, ptr %6, i64 1280
  %11 = getelementptr inbounds nuw i8, ptr %6, i64 1536
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %13 = shl i32 %2, 3
  %14 = shl i32 255, %13
  %15 = xor i32 %14, -1
  %16 = shl i32 %2, 4
  %17 = shl i32 65535, %16
  %18 = xor i32 %17, -1
  br label %20

19:                                               ; preds = %294
  ret void

20:                                               ; preds = %4, %294
  %21 = phi i64 [ 0, %4 ], [ %296, %294 ]
  %22 = getelementptr inbounds nuw i32, ptr %7, i64 %21
  %23 = load float, ptr %22, align 4
  %24 = getelementptr inbounds nuw i32, ptr %8, i64 %21
  %25 = load float, ptr %24, align 4
  br i1 %9, label %33, label %26

26:                                               ; preds = %20
  %27 = getelementptr inbounds nuw i32, ptr %11, i64 %21
  %28 = load i32, ptr %27, align 4
  %29 = and i32 %28, 2139095040
  %30 = bitcast i32 %29 to float
  %31 = fdiv float %23, %30
  %32 = fdiv float %25, %30
  br label %33

33:                                               ; preds = %26, %20
  %34 = phi float [ %31, %26 ], [ %23, %20 ]
  %35 = phi float [ %32, %26 ], [ %25, %20 ]
  %36 = getelementptr inbounds nuw i32, ptr %10, i64 %21
  %37 = load i32, ptr %36, align 4
  switch i32 %1, label %194 [
    i32 4, label %38
    i32 0, label %100
  ]

38:                                               ; preds = %33
  %39 = bitcast float %34 to i32
  %40 = lshr i32 %39, 28
  %41 = and i32 %40, 8
  %42 = tail call float @llvm.fabs.f32(float %34)
  %43 = bitcast float %42 to i32
  %44 = fcmp ogt float %42, 2.500000e-01
  %45 = zext i1 %44 to i32
  %46 = fcmp oge float %42, 7.500000e-01
  %47 = zext i1 %46 to i32
  %48 = add nuw nsw i32 %45, %47
  %49 = fcmp ogt float %42, 1.250000e+00
  %50 = zext i1 %49 to i32
  %51 = add nuw nsw i32 %48, %50
  %52 = fcmp oge float %42, 1.750000e+00
  %53 = zext i1 %52 to i32
  %54 = add nuw nsw i32 %51, %53
  %55 = fcmp ogt float %42, 2.500000e+00
  %56 = zext i1 %55 to i32
  %57 = add nuw nsw i32 %54, %56
  %58 = fcmp oge float %42, 3.500000e+00
  %59 = zext i1 %58 to i32
  %60 = add nuw nsw i32 %57, %59
  %61 = fcmp ogt float %42, 5.000000e+00
  %62 = zext i1 %61 to i32
  %63 = add nuw nsw i32 %60, %62
  %64 = icmp samesign ult i32 %43, 2139095041
  %65 = select i1 %64, i32 %63, i32 7
  %66 = or i32 %41, %65
  %67 = bitcast float %35 to i32
  %68 = lshr i32 %67, 28
  %69 = and i32 %68, 8
  %70 = tail call float @llvm.fabs.f32(float %35)
  %71 = bitcast float %70 to i32
  %72 = fcmp ogt float %70, 2.500000e-01
  %73 = zext i1 %72 to i32
  %74 = fcmp oge float %70, 7.500000e-01
  %75 = zext i1 %74 to i32
  %76 = add nuw nsw i32 %73, %75
  %77 = fcmp ogt float %70, 1.250000e+00
  %78 = zext i1 %77 to i32
  %79 = add nuw nsw i32 %76, %78
  %80 = fcmp oge float %70, 1.750000e+00
  %81 = zext i1 %80 to i32
  %82 = add nuw nsw i32 %79, %81
  %83 = fcmp ogt float %70, 2.500000e+00
  %84 = zext i1 %83 to i32
  %85 = add nuw nsw i32 %82, %84
  %86 = fcmp oge float %70, 3.500000e+00
  %87 = zext i1 %86 to i32
  %88 = add nuw nsw i32 %85, %87
  %89 = fcmp ogt float %70, 5.000000e+00
  %90 = zext i1 %89 to i32
  %91 = add nuw nsw i32 %88, %90
  %92 = icmp samesign ult i32 %71, 2139095041
  %93 = select i1 %92, i32 %91, i32 7
  %94 = or i32 %93, %69
  %95 = shl nuw nsw i32 %94, 4
  %96 = add nuw nsw i32 %95, %66
  %97 = and i32 %37, %15
  %98 = shl i32 %96, %13
  %99 = or i32 %98, %97
  br label %294

100:                                              ; preds = %33
  %101 = load ptr, ptr %12, align 8
  %102 = bitcast float %34 to i32
  %103 = lshr i32 %102, 24
  %104 = and i32 %103, 128
  %105 = tail call float @llvm.fabs.f32(float %34)
  %106 = bitcast float %105 to i32
  %107 = icmp samesign ult i32 %106, 2139095041
  br i1 %107, label %110, label %108

108:                                              ; preds = %100
  %109 = or i32 %103, 127
  br label %147

110:                                              ; preds = %100
  %111 = fcmp ogt float %105, 1.000000e+06
  br i1 %111, label %126, label %112

112:                                              ; preds = %110
  %113 = lshr i32 %106, 23
  %114 = tail call i32 @llvm.umax.i32(i32 %113, i32 121)
  %115 = add nuw nsw i32 %114, 893
  %116 = zext nneg i32 %115 to i64
  %117 = shl nuw nsw i64 %116, 52
  %118 = bitcast i64 %117 to double
  %119 = fpext float %105 to double
  %120 = fdiv double %119, %118
  %121 = fadd double %120, 0x4338000000000000
  %122 = fadd double %121, 0xC338000000000000
  %123 = fmul double %122, %118
  %124 = fptrunc double %123 to float
  %125 = fcmp ogt double %123, 0x407C000010000000
  br i1 %125, label %126, label %133

126:                                              ; preds = %112, %110
  %127 = getelementptr inbounds nuw i8, ptr %101, i64 216
  %128 = load i32, ptr %127, align 8
  %129 = icmp eq i32 %128, 0
  %130 = or i32 %103, 127
  %131 = or disjoint i32 %104, 126
  %132 = select i1 %129, i32 %131, i32 %130
  br label %147

133:                                              ; preds = %112
  %134 = bitcast float %124 to i32
  %135 = icmp ult i32 %134, 1015021568
  br i1 %135, label %136, label %140

136:                                              ; preds = %133
  %137 = fmul float %124, 5.120000e+02
  %138 = fptoui float %137 to i32
  %139 = or i32 %104, %138
  br label %147

140:                                              ; preds = %133
  %141 = lshr i32 %134, 20
  %142 = and i32 %141, 4088
  %143 = add nsw i32 %142, -960
  %144 = and i32 %141, 7
  %145 = or disjoint i32 %143, %144
  %146 = or i32 %145, %104
  br label %147

147:                                              ; preds = %108, %126, %136, %140
  %148 = phi i32 [ %109, %108 ], [ %132, %126 ], [ %139, %136 ], [ %146, %140 ]
  %149 = bitcast float %35 to i32
  %150 = lshr i32 %149, 24
  %151 = and i32 %150, 128
  %152 = tail call float @llvm.fabs.f32(float %35)
  %153 = bitcast float %152 to i32
  %154 = icmp samesign ult i32 %153, 2139095041
  br i1 %154, label %157, label %155

155:                                              ; preds = %147
  %156 = or i32 %150, 127
  br label %286

157:                                              ; preds = %147
  %158 = fcmp ogt float %152, 1.000000e+06
  br i1 %158, label %173, label %159

159:                                              ; preds = %157
  %160 = lshr i32 %153, 23
  %161 = tail call i32 @llvm.umax.i32(i32 %160, i32 121)
  %162 = add nuw nsw i32 %161, 893
  %163 = zext nneg i32 %162 to i64
  %164 = shl nuw nsw i64 %163, 52
  %165 = bitcast i64 %164 to double
  %166 = fpext float %152 to double
  %167 = fdiv double %166, %165
  %168 = fadd double %167, 0x4338000000000000
  %169 = fadd double %168, 0xC338000000000000
  %170 = fmul double %169, %165
  %171 = fptrunc double %170 to float
  %172 = fcmp ogt double %170, 0x407C000010000000
  br i1 %172, label %173, label %180

173:                                              ; preds = %159, %157
  %174 = getelementptr inbounds nuw i8, ptr %101, i64 216
  %175 = load i32, ptr %174, align 8
  %176 = icmp eq i32 %175, 0
  %177 = or i32 %150, 127
  %178 = or disjoint i32 %151, 126
  %179 = select i1 %176, i32 %178, i32 %177
  br label %286

180:                                              ; preds = %159
  %181 = bitcast float %171 to i32
  %182 = icmp ult i32 %181, 1015021568
  br i1 %182, label %183, label %187

183:                                              ; preds = %180
  %184 = fmul float %171, 5.120000e+02
  %185 = fptoui float %184 to i32
  %186 = or i32 %151, %185
  br label %286

187:                                              ; preds = %180
  %188 = lshr i32 %181, 20
  %189 = and i32 %188, 4088
  %190 = add nsw i32 %189, -960
  %191 = and i32 %188, 7
  %192 = or disjoint i32 %190, %191
  %193 = or i32 %192, %151
  br label %286

194:                                              ; preds = %33
  %195 = load ptr, ptr %12, align 8
  %196 = bitcast float %34 to i32
  %197 = lshr i32 %196, 24
  %198 = and i32 %197, 128
  %199 = tail call float @llvm.fabs.f32(float %34)
  %200 = bitcast float %199 to i32
  %201 = icmp samesign ult i32 %200, 2139095041
  br i1 %201, label %204, label %202

202:                                              ; preds = %194
  %203 = or i32 %197, 127
  br label %240

204:                                              ; preds = %194
  %205 = fcmp ogt float %199, 1.000000e+06
  br i1 %205, label %220, label %206

206:                                              ; preds = %204
  %207 = lshr i32 %200, 23
  %208 = tail call i32 @llvm.umax.i32(i32 %207, i32 113)
  %209 = add nuw nsw i32 %208, 894
  %210 = zext nneg i32 %209 to i64
  %211 = shl nuw nsw i64 %210, 52
  %212 = bitcast i64 %211 to double
  %213 = fpext float %199 to double
  %214 = fdiv double %213, %212
  %215 = fadd double %214, 0x4338000000000000
  %216 = fadd double %215, 0xC338000000000000
  %217 = fmul double %216, %212
  %218 = fptrunc double %217 to float
  %219 = fcmp ogt double %217, 0x40EC000010000000
  br i1 %219, label %220, label %226

220:                                              ; preds = %206, %204
  %221 = getelementptr inbounds nuw i8, ptr %195, i64 216
  %222 = load i32, ptr %221, align 8
  %223 = icmp eq i32 %222, 0
  %224 = select i1 %223, i32 123, i32 124
  %225 = or disjoint i32 %224, %198
  br label %240

226:                                              ; preds = %206
  %227 = bitcast float %218 to i32
  %228 = icmp ult i32 %227, 947912704
  br i1 %228, label %229, label %233

229:                                              ; preds = %226
  %230 = fmul float %218, 6.553600e+04
  %231 = fptoui float %230 to i32
  %232 = or i32 %198, %231
  br label %240

233:                                              ; preds = %226
  %234 = lshr i32 %227, 21
  %235 = and i32 %234, 2044
  %236 = add nsw i32 %235, -448
  %237 = and i32 %234, 3
  %238 = or disjoint i32 %236, %237
  %239 = or i32 %238, %198
  br label %240

240:                                              ; preds = %202, %220, %229, %233
  %241 = phi i32 [ %203, %202 ], [ %225, %220 ], [ %232, %229 ], [ %239, %233 ]
  %242 = bitcast float %35 to i32
  %243 = lshr i32 %242, 24
  %244 = and i32 %243, 128
  %245 = tail call float @llvm.fabs.f32(float %35)
  %246 = bitcast float %245 to i32
  %247 = icmp samesign ult i32 %246, 2139095041
  br i1 %247, label %250, label %248

248:                                              ; preds = %240
  %249 = or i32 %243, 127
  br label %286

250:                                              ; preds = %240
  %251 = fcmp ogt float %245, 1.000000e+06
  br i1 %251, label %266, label %252

252:                                              ; preds = %250
  %253 = lshr i32 %246, 23
  %254 = tail call i32 @llvm.umax.i32(i32 %253, i32 113)
  %255 = add nuw nsw i32 %254, 894
  %256 = zext nneg i32 %255 to i64
  %257 = shl nuw nsw i64 %256, 52
  %258 = bitcast i64 %257 to double
  %259 = fpext float %245 to double
  %260 = fdiv double %259, %258
  %261 = fadd double %260, 0x4338000000000000
  %262 = fadd double %261, 0xC338000000000000
  %263 = fmul double %262, %258
  %264 = fptrunc double %263 to float
  %265 = fcmp ogt double %263, 0x40EC000010000000
  br i1 %265, label %266, label %272

266:                                              ; preds = %252, %250
  %267 = getelementptr inbounds nuw i8, ptr %195, i64 216
  %268 = load i32, ptr %267, align 8
  %269 = icmp eq i32 %268, 0
  %270 = select i1 %269, i32 123, i32 124
  %271 = or disjoint i32 %270, %244
  br label %286

272:                                              ; preds = %252
  %273 = bitcast float %264 to i32
  %274 = icmp ult i32 %273, 947912704
  br i1 %274, label %275, label %279

275:                                              ; preds = %272
  %276 = fmul float %264, 6.553600e+04
  %277 = fptoui float %276 to i32
  %278 = or i32 %244, %277
  br label %286

279:                                              ; preds = %272
  %280 = lshr i32 %273, 21
  %281 = and i32 %280, 2044
  %282 = add nsw i32 %281, -448
  %283 = and i32 %280, 3
  %284 = or disjoint i32 %282, %283
  %285 = or i32 %284, %244
  br label %286

286:                                              ; preds = %279, %275, %266, %248, %187, %183, %173, %155
  %287 = phi i32 [ %193, %187 ], [ %156, %155 ], [ %179, %173 ], [ %186, %183 ], [ %249, %248 ], [ %271, %266 ], [ %278, %275 ], [ %285, %279 ]
  %288 = phi i32 [ %148, %187 ], [ %148, %155 ], [ %148, %173 ], [ %148, %183 ], [ %241, %248 ], [ %241, %266 ], [ %241, %275 ], [ %241, %279 ]
  %289 = shl i32 %287, 8
  %290 = or i32 %289, %288
  %291 = and i32 %37, %18
  %292 = shl i32 %290, %16
  %293 = or i32 %292, %291
  br label %294

294:                                              ; preds = %286, %38
  %295 = phi i32 [ %99, %38 ], [ %293, %286 ]
  store i32 %295, ptr %22, align 4
  %296 = add nuw nsw i64 %21, 1
  %297 = icmp eq i64 %296, 64
  br i1 %297, label %19, label %20, !llvm.loop !134
}

define void @kk3_from_small(ptr noundef readonly captures(none) %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4) local_unnamed_addr #10 {
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 768
  %9 = icmp eq i32 %3, 0
  %10 = icmp eq i32 %1, 4
  %11 = getelementptr inbounds nuw i8, ptr %7, i64 1024
  %12 = getelementptr inbounds nuw i8, ptr %7, i64 1536
  %13 = icmp eq i32 %4, 0
  %14 = select i1 %13, i32 4, i32 3
  %15 = shl i32 %2, %14
  %16 = add i32 %15, 8
  %17 = icmp eq i32 %1, 0
  %18 = shl i32 %2, 3
  %19 = or disjoint i32 %18, 4
  br label %21

20:                                               ; preds = %148
  ret void

21:                                               ; preds = %5, %148
  %22 = phi i64 [ 0, %5 ], [ %154, %148 ]
  %23 = getelementptr inbounds nuw i32, ptr %8, i64 %22
  %24 = load i32, ptr %23, align 4
  br i1 %9, label %30, label %25

25:                                               ; preds = %21
  %26 = getelementptr inbounds nuw i32, ptr %12, i64 %22
  %27 = load i32, ptr %26, align 4
  %28 = and i32 %27, 2139095040
  %29 = bitcast i32 %28 to float
  br label %30

30:                                               ; preds = %21, %25
  %31 = phi float [ %29, %25 ], [ 1.000000e+00, %21 ]
  br i1 %10, label %32, label %43

32:                                               ; preds = %30
  %33 = lshr i32 %24, %18
  %34 = and i32 %33, 15
  %35 = lshr i32 %24, %19
  %36 = and i32 %35, 15
  %37 = zext nneg i32 %34 to i64
  %38 = getelementptr inbounds nuw float, ptr @fp4_value, i64 %37
  %39 = load float, ptr %38, align 4
  %40 = zext nneg i32 %36 to i64
  %41 = getelementptr inbounds nuw float, ptr @fp4_value, i64 %40
  %42 = load float, ptr %41, align 4
  br label %148

43:                                               ; preds = %30
  %44 = lshr i32 %24, %15
  %45 = and i32 %44, 255
  %46 = lshr i32 %24, %16
  %47 = and i32 %46, 255
  %48 = select i1 %13, i32 %47, i32 %45
  br i1 %17, label %49, label %73

49:                                               ; preds = %43
  %50 = lshr i32 %44, 3
  %51 = and i32 %50, 15
  %52 = and i32 %44, 7
  %53 = icmp eq i32 %51, 15
  %54 = icmp eq i32 %52, 7
  %55 = and i1 %54, %53
  br i1 %55, label %98, label %56

56:                                               ; preds = %49
  %57 = icmp eq i32 %51, 0
  br i1 %57, label %64, label %58

58:                                               ; preds = %56
  %59 = shl nuw nsw i32 %51, 23
  %60 = add nuw nsw i32 %59, 1006632960
  %61 = shl nuw nsw i32 %52, 20
  %62 = or disjoint i32 %60, %61
  %63 = bitcast i32 %62 to float
  br label %67

64:                                               ; preds = %56
  %65 = uitofp nneg i32 %52 to float
  %66 = fmul float %65, 0x3F60000000000000
  br label %67

67:                                               ; preds = %64, %58
  %68 = phi float [ %63, %58 ], [ %66, %64 ]
  %69 = and i32 %44, 128
  %70 = icmp eq i32 %69, 0
  %71 = fneg float %68
  %72 = select i1 %70, float %68, float %71
  br label %98

73:                                               ; preds = %43
  %74 = shl nuw nsw i32 %45, 8
  %75 = shl nuw i32 %45, 24
  %76 = and i32 %75, -2147483648
  %77 = lshr i32 %44, 2
  %78 = and i32 %77, 31
  %79 = and i32 %74, 768
  switch i32 %78, label %85 [
    i32 31, label %80
    i32 0, label %92
  ]

80:                                               ; preds = %73
  %81 = shl nuw nsw i32 %45, 21
  %82 = or i32 %75, %81
  %83 = or i32 %82, 2139095040
  %84 = bitcast i32 %83 to float
  br label %122

85:                                               ; preds = %73
  %86 = shl nuw nsw i32 %78, 23
  %87 = add nuw nsw i32 %86, 939524096
  %88 = shl nuw nsw i32 %79, 13
  %89 = or disjoint i32 %87, %88
  %90 = or disjoint i32 %89, %76
  %91 = bitcast i32 %90 to float
  br label %122

92:                                               ; preds = %73
  %93 = uitofp nneg i32 %79 to float
  %94 = fmul float %93, 0x3E70000000000000
  %95 = icmp eq i32 %76, 0
  %96 = fneg float %94
  %97 = select i1 %95, float %94, float %96
  br label %122

98:                                               ; preds = %49, %67
  %99 = phi float [ 0x7FF8000000000000, %49 ], [ %72, %67 ]
  %100 = lshr i32 %48, 3
  %101 = and i32 %100, 15
  %102 = and i32 %48, 7
  %103 = icmp eq i32 %101, 15
  %104 = icmp eq i32 %102, 7
  %105 = and i1 %104, %103
  br i1 %105, label %148, label %106

106:                                              ; preds = %98
  %107 = icmp eq i32 %101, 0
  br i1 %107, label %114, label %108

108:                                              ; preds = %106
  %109 = shl nuw nsw i32 %101, 23
  %110 = add nuw nsw i32 %109, 1006632960
  %111 = shl nuw nsw i32 %102, 20
  %112 = or disjoint i32 %110, %111
  %113 = bitcast i32 %112 to float
  br label %117

114:                                              ; preds = %106
  %115 = uitofp nneg i32 %102 to float
  %116 = fmul float %115, 0x3F60000000000000
  br label %117

117:                                              ; preds = %114, %108
  %118 = phi float [ %113, %108 ], [ %116, %114 ]
  %119 = icmp samesign ult i32 %48, 128
  %120 = fneg float %118
  %121 = select i1 %119, float %118, float %120
  br label %148

122:                                              ; preds = %92, %85, %80
  %123 = phi float [ %97, %92 ], [ %91, %85 ], [ %84, %80 ]
  %124 = shl nuw nsw i32 %48, 8
  %125 = shl nuw i32 %48, 24
  %126 = and i32 %125, -2147483648
  %127 = lshr i32 %48, 2
  %128 = and i32 %127, 31
  %129 = and i32 %124, 768
  switch i32 %128, label %135 [
    i32 31, label %130
    i32 0, label %142
  ]

130:                                              ; preds = %122
  %131 = shl nuw nsw i32 %129, 13
  %132 = or disjoint i32 %131, %125
  %133 = or i32 %132, 2139095040
  %134 = bitcast i32 %133 to float
  br label %148

135:                                              ; preds = %122
  %136 = shl nuw nsw i32 %128, 23
  %137 = add nuw nsw i32 %136, 939524096
  %138 = shl nuw nsw i32 %129, 13
  %139 = or disjoint i32 %137, %138
  %140 = or disjoint i32 %139, %126
  %141 = bitcast i32 %140 to float
  br label %148

142:                                              ; preds = %122
  %143 = uitofp nneg i32 %129 to float
  %144 = fmul float %143, 0x3E70000000000000
  %145 = icmp eq i32 %126, 0
  %146 = fneg float %144
  %147 = select i1 %145, float %144, float %146
  br label %148

148:                                              ; preds = %142, %135, %130, %117, %98, %32
  %149 = phi float [ %39, %32 ], [ %99, %117 ], [ %99, %98 ], [ %123, %130 ], [ %123, %135 ], [ %123, %142 ]
  %150 = phi float [ %42, %32 ], [ %121, %117 ], [ 0x7FF8000000000000, %98 ], [ %134, %130 ], [ %141, %135 ], [ %147, %142 ]
  %151 = fmul float %31, %149
  store float %151, ptr %23, align 4
  %152 = fmul float %31, %150
  %153 = getelementptr inbounds nuw i32, ptr %11, i64 %22
  store float %152, ptr %153, align 4
  %154 = add nuw nsw i64 %22, 1
  %155 = icmp eq i64 %154, 64
  br i1 %155, label %20, label %21, !llvm.loop !135
}

define void @kk3_half(ptr noundef readonly captures(none) %0, i32 noundef %1) local_unnamed_addr #10 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq i32 %1, 0
  %6 = getelementptr inbounds nuw i8, ptr %4, i64 768
  br label %8

7:                                                ; preds = %74
  ret void

8:                                                ; preds = %2, %74
  %9 = phi i64 [ 0, %2 ], [ %77, %74 ]
  %10 = getelementptr inbounds nuw i32, ptr %6, i64 %9
  %11 = load i32, ptr %10, align 4
  br i1 %5, label %51, label %12

12:                                               ; preds = %8
  %13 = bitcast i32 %11 to float
  %14 = lshr i32 %11, 16
  %15 = and i32 %14, 32768
  %16 = tail call float @llvm.fabs.f32(float %13)
  %17 = bitcast float %16 to i32
  %18 = icmp samesign ult i32 %17, 2139095041
  br i1 %18, label %21, label %19

19:                                               ; preds = %12
  %20 = or disjoint i32 %15, 32256
  br label %74

21:                                               ; preds = %12
  %22 = fcmp ult float %16, 6.552000e+04
  br i1 %22, label %25, label %23

23:                                               ; preds = %21
  %24 = or disjoint i32 %15, 31744
  br label %74

25:                                               ; preds = %21
  %26 = lshr i32 %17, 23
  %27 = tail call i32 @llvm.umax.i32(i32 %26, i32 113)
  %28 = add nuw nsw i32 %27, 886
  %29 = zext nneg i32 %28 to i64
  %30 = shl nuw nsw i64 %29, 52
  %31 = bitcast i64 %30 to double
  %32 = fpext float %16 to double
  %33 = fdiv double %32, %31
  %34 = fadd double %33, 0x4338000000000000
  %35 = fadd double %34, 0xC338000000000000
  %36 = fmul double %35, %31
  %37 = fptrunc double %36 to float
  %38 = bitcast float %37 to i32
  %39 = icmp ult i32 %38, 947912704
  br i1 %39, label %40, label %44

40:                                               ; preds = %25
  %41 = fmul float %37, 0x4170000000000000
  %42 = fptoui float %41 to i32
  %43 = or i32 %15, %42
  br label %74

44:                                               ; preds = %25
  %45 = lshr i32 %38, 13
  %46 = and i32 %45, 523264
  %47 = add nsw i32 %46, -114688
  %48 = and i32 %45, 1023
  %49 = or disjoint i32 %47, %48
  %50 = or i32 %49, %15
  br label %74

51:                                               ; preds = %8
  %52 = shl i32 %11, 16
  %53 = and i32 %52, -2147483648
  %54 = lshr i32 %11, 10
  %55 = and i32 %54, 31
  %56 = and i32 %11, 1023
  switch i32 %55, label %61 [
    i32 31, label %57
    i32 0, label %67
  ]

57:                                               ; preds = %51
  %58 = shl nuw nsw i32 %56, 13
  %59 = or disjoint i32 %53, %58
  %60 = or disjoint i32 %59, 2139095040
  br label %74

61:                                               ; preds = %51
  %62 = shl nuw nsw i32 %55, 23
  %63 = add nuw nsw i32 %62, 939524096
  %64 = shl nuw nsw i32 %56, 13
  %65 = or disjoint i32 %63, %64
  %66 = or disjoint i32 %65, %53
  br label %74

67:                                               ; preds = %51
  %68 = uitofp nneg i32 %56 to float
  %69 = fmul float %68, 0x3E70000000000000
  %70 = icmp eq i32 %53, 0
  %71 = fneg float %69
  %72 = select i1 %70, float %69, float %71
  %73 = bitcast float %72 to i32
  br label %74

74:                                               ; preds = %67, %61, %57, %44, %40, %23, %19
  %75 = phi i32 [ %50, %44 ], [ %20, %19 ], [ %24, %23 ], [ %43, %40 ], [ %60, %57 ], [ %66, %61 ], [ %73, %67 ]
  %76 = getelementptr inbounds nuw i32, ptr %6, i64 %9
  store i32 %75, ptr %76, align 4
  %77 = add nuw nsw i64 %9, 1
  %78 = icmp eq i64 %77, 64
  br i1 %78, label %7, label %8, !llvm.loop !136
}

define void @kk3_mfma(ptr noundef readonly captures(none) %0, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5, i32 noundef %6, i32 noundef %7, i32 noundef %8) local_unnamed_addr #10 {
  %10 = alloca [16 x double], align 16
  %11 = alloca [128 x <16 x float>], align 64
  %12 = alloca [16 x double], align 16
  %13 = alloca [128 x <16 x float>], align 64
  %14 = alloca [16 x <16 x float>], align 64
  %15 = alloca [16 x <16 x float>], align 64
  %16 = alloca [16 x <16 x float>], align 64
  %17 = alloca [16 x <16 x float>], align 64
  %18 = alloca [16 x <16 x float>], align 64
  %19 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %20 = load ptr, ptr %19, align 8
  %21 = getelementptr inbounds nuw i8, ptr %0, i64 96
  %22 = load ptr, ptr %21, align 8
  %23 = zext i32 %8 to i64
  %24 = getelementptr inbounds nuw %struct.Site, ptr %22, i64 %23
  %25 = getelementptr inbounds nuw i8, ptr %24, i64 16
  %26 = load i32, ptr %25, align 4
  %27 = mul i32 %26, 17
  %28 = add i32 %27, 11
  %29 = zext i32 %28 to i64
  %30 = getelementptr inbounds nuw i64, ptr %20, i64 %29
  %31 = load i64, ptr %30, align 8
  %32 = add i64 %31, 1
  store i64 %32, ptr %30, align 8
  %33 = icmp eq i32 %1, 16
  %34 = icmp eq i32 %2, 32
  %35 = icmp eq i32 %3, 5
  %36 = and i1 %34, %35
  %37 = icmp eq i32 %7, 0
  %38 = and i1 %36, %37
  %39 = and i1 %33, %38
  br i1 %39, label %40, label %405

40:                                               ; preds = %9
  %41 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %42 = load ptr, ptr %41, align 8
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %44 = load ptr, ptr %43, align 8
  %45 = getelementptr inbounds nuw i8, ptr %42, i64 204
  %46 = load i32, ptr %45, align 4
  %47 = icmp eq i32 %46, 0
  %48 = getelementptr inbounds nuw i8, ptr %44, i64 768
  br label %49

49:                                               ; preds = %40, %63
  %50 = phi i64 [ 0, %40 ], [ %64, %63 ]
  %51 = shl nuw nsw i64 %50, 6
  %52 = getelementptr inbounds nuw i8, ptr %48, i64 %51
  %53 = shl nuw nsw i64 %50, 9
  %54 = getelementptr inbounds nuw i8, ptr @At, i64 %53
  br label %55

55:                                               ; preds = %49, %77
  %56 = phi i64 [ 0, %49 ], [ %80, %77 ]
  %57 = lshr i64 %56, 1
  %58 = and i64 %57, 2147483647
  %59 = and i64 %56, 1
  %60 = icmp eq i64 %59, 0
  %61 = getelementptr inbounds nuw [64 x i32], ptr %52, i64 %58
  %62 = load <16 x i32>, ptr %61, align 4
  br i1 %60, label %68, label %66

63:                                               ; preds = %77
  %64 = add nuw nsw i64 %50, 1
  %65 = icmp eq i64 %64, 4
  br i1 %65, label %82, label %49, !llvm.loop !137

66:                                               ; preds = %55
  %67 = and <16 x i32> %62, splat (i32 -65536)
  br label %70

68:                                               ; preds = %55
  %69 = shl <16 x i32> %62, splat (i32 16)
  br label %70

70:                                               ; preds = %68, %66
  %71 = phi <16 x i32> [ %67, %66 ], [ %69, %68 ]
  br i1 %47, label %77, label %72

72:                                               ; preds = %70
  %73 = and <16 x i32> %71, splat (i32 2139095040)
  %74 = icmp eq <16 x i32> %73, zeroinitializer
  %75 = select <16 x i1> %74, <16 x i32> splat (i32 -2147483648), <16 x i32> splat (i32 -65536)
  %76 = and <16 x i32> %75, %71
  br label %77

77:                                               ; preds = %72, %70
  %78 = phi <16 x i32> [ %76, %72 ], [ %71, %70 ]
  %79 = getelementptr inbounds nuw <16 x float>, ptr %54, i64 %56
  store <16 x i32> %78, ptr %79, align 64
  %80 = add nuw nsw i64 %56, 1
  %81 = icmp eq i64 %80, 8
  br i1 %81, label %63, label %55, !llvm.loop !138

82:                                               ; preds = %63
  %83 = getelementptr inbounds nuw i8, ptr %44, i64 2816
  br label %84

84:                                               ; preds = %82, %98
  %85 = phi i64 [ 0, %82 ], [ %99, %98 ]
  %86 = shl nuw nsw i64 %85, 6
  %87 = getelementptr inbounds nuw i8, ptr %83, i64 %86
  %88 = shl nuw nsw i64 %85, 9
  %89 = getelementptr inbounds nuw i8, ptr @Bt, i64 %88
  br label %90

90:                                               ; preds = %84, %112
  %91 = phi i64 [ 0, %84 ], [ %115, %112 ]
  %92 = lshr i64 %91, 1
  %93 = and i64 %92, 2147483647
  %94 = and i64 %91, 1
  %95 = icmp eq i64 %94, 0
  %96 = getelementptr inbounds nuw [64 x i32], ptr %87, i64 %93
  %97 = load <16 x i32>, ptr %96, align 4
  br i1 %95, label %103, label %101

98:                                               ; preds = %112
  %99 = add nuw nsw i64 %85, 1
  %100 = icmp eq i64 %99, 4
  br i1 %100, label %117, label %84, !llvm.loop !137

101:                                              ; preds = %90
  %102 = and <16 x i32> %97, splat (i32 -65536)
  br label %105

103:                                              ; preds = %90
  %104 = shl <16 x i32> %97, splat (i32 16)
  br label %105

105:                                              ; preds = %103, %101
  %106 = phi <16 x i32> [ %102, %101 ], [ %104, %103 ]
  br i1 %47, label %112, label %107

107:                                              ; preds = %105
  %108 = and <16 x i32> %106, splat (i32 2139095040)
  %109 = icmp eq <16 x i32> %108, zeroinitializer
  %110 = select <16 x i1> %109, <16 x i32> splat (i32 -2147483648), <16 x i32> splat (i32 -65536)
  %111 = and <16 x i32> %110, %106
  br label %112

112:                                              ; preds = %107, %105
  %113 = phi <16 x i32> [ %111, %107 ], [ %106, %105 ]
  %114 = getelementptr inbounds nuw <16 x float>, ptr %89, i64 %91
  store <16 x i32> %113, ptr %114, align 64
  %115 = add nuw nsw i64 %91, 1
  %116 = icmp eq i64 %115, 8
  br i1 %116, label %98, label %90, !llvm.loop !138

117:                                              ; preds = %98
  call void @llvm.lifetime.start.p0(ptr nonnull %16) #20
  br label %122

118:                                              ; preds = %397
  call void @llvm.lifetime.end.p0(ptr nonnull %16) #20
  br label %1517

119:                                              ; preds = %122
  %120 = getelementptr inbounds nuw i8, ptr %42, i64 200
  %121 = load i32, ptr %120, align 8
  switch i32 %121, label %338 [
    i32 0, label %133
    i32 1, label %285
  ]

122:                                              ; preds = %117, %122
  %123 = phi i64 [ 0, %117 ], [ %131, %122 ]
  %124 = and i64 %123, 3
  %125 = getelementptr inbounds nuw <16 x float>, ptr %16, i64 %123
  %126 = getelementptr inbounds nuw [64 x i32], ptr %48, i64 %124
  %127 = getelementptr inbounds nuw i8, ptr %126, i64 4096
  %128 = shl i64 %123, 2
  %129 = and i64 %128, 48
  %130 = getelementptr inbounds nuw i32, ptr %127, i64 %129
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 64 dereferenceable(64) %125, ptr noundef nonnull align 4 dereferenceable(64) %130, i64 64, i1 false)
  %131 = add nuw nsw i64 %123, 1
  %132 = icmp eq i64 %131, 16
  br i1 %132, label %119, label %122, !llvm.loop !139

133:                                              ; preds = %119
  call void @llvm.lifetime.start.p0(ptr nonnull %15) #20
  br label %134

134:                                              ; preds = %133, %134
  %135 = phi i64 [ 0, %133 ], [ %139, %134 ]
  %136 = getelementptr inbounds nuw <16 x float>, ptr %16, i64 %135
  %137 = load <16 x float>, ptr %136, align 64
  %138 = getelementptr inbounds nuw <16 x float>, ptr %15, i64 %135
  store <16 x float> %137, ptr %138, align 64
  %139 = add nuw nsw i64 %135, 1
  %140 = icmp eq i64 %139, 16
  br i1 %140, label %141, label %134, !llvm.loop !140

141:                                              ; preds = %134
  %142 = getelementptr inbounds nuw i8, ptr %15, i64 256
  %143 = load <16 x float>, ptr %142, align 64
  %144 = getelementptr inbounds nuw i8, ptr %15, i64 320
  %145 = load <16 x float>, ptr %144, align 64
  %146 = getelementptr inbounds nuw i8, ptr %15, i64 384
  %147 = load <16 x float>, ptr %146, align 64
  %148 = getelementptr inbounds nuw i8, ptr %15, i64 448
  %149 = load <16 x float>, ptr %148, align 64
  %150 = getelementptr inbounds nuw i8, ptr %15, i64 512
  %151 = load <16 x float>, ptr %150, align 64
  %152 = getelementptr inbounds nuw i8, ptr %15, i64 576
  %153 = load <16 x float>, ptr %152, align 64
  %154 = getelementptr inbounds nuw i8, ptr %15, i64 640
  %155 = load <16 x float>, ptr %154, align 64
  %156 = getelementptr inbounds nuw i8, ptr %15, i64 704
  %157 = load <16 x float>, ptr %156, align 64
  %158 = getelementptr inbounds nuw i8, ptr %15, i64 64
  %159 = getelementptr inbounds nuw i8, ptr %15, i64 128
  %160 = getelementptr inbounds nuw i8, ptr %15, i64 192
  %161 = getelementptr inbounds nuw i8, ptr %15, i64 768
  %162 = getelementptr inbounds nuw i8, ptr %15, i64 832
  %163 = getelementptr inbounds nuw i8, ptr %15, i64 896
  %164 = getelementptr inbounds nuw i8, ptr %15, i64 960
  %165 = load <16 x float>, ptr %15, align 64
  %166 = load <16 x float>, ptr %158, align 64
  %167 = load <16 x float>, ptr %159, align 64
  %168 = load <16 x float>, ptr %160, align 64
  %169 = load <16 x float>, ptr %161, align 64
  %170 = load <16 x float>, ptr %162, align 64
  %171 = load <16 x float>, ptr %163, align 64
  %172 = load <16 x float>, ptr %164, align 64
  br label %173

173:                                              ; preds = %141, %173
  %174 = phi <16 x float> [ %172, %141 ], [ %272, %173 ]
  %175 = phi <16 x float> [ %171, %141 ], [ %267, %173 ]
  %176 = phi <16 x float> [ %170, %141 ], [ %262, %173 ]
  %177 = phi <16 x float> [ %169, %141 ], [ %257, %173 ]
  %178 = phi <16 x float> [ %168, %141 ], [ %212, %173 ]
  %179 = phi <16 x float> [ %167, %141 ], [ %207, %173 ]
  %180 = phi <16 x float> [ %166, %141 ], [ %202, %173 ]
  %181 = phi <16 x float> [ %165, %141 ], [ %197, %173 ]
  %182 = phi <16 x float> [ %157, %141 ], [ %252, %173 ]
  %183 = phi <16 x float> [ %155, %141 ], [ %247, %173 ]
  %184 = phi <16 x float> [ %153, %141 ], [ %242, %173 ]
  %185 = phi <16 x float> [ %151, %141 ], [ %237, %173 ]
  %186 = phi <16 x float> [ %149, %141 ], [ %232, %173 ]
  %187 = phi <16 x float> [ %147, %141 ], [ %227, %173 ]
  %188 = phi <16 x float> [ %145, %141 ], [ %222, %173 ]
  %189 = phi <16 x float> [ %143, %141 ], [ %217, %173 ]
  %190 = phi i64 [ 0, %141 ], [ %273, %173 ]
  %191 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %190
  %192 = load <16 x float>, ptr %191, align 64
  %193 = getelementptr inbounds nuw <16 x float>, ptr @At, i64 %190
  %194 = load float, ptr %193, align 64
  %195 = insertelement <16 x float> poison, float %194, i64 0
  %196 = shufflevector <16 x float> %195, <16 x float> poison, <16 x i32> zeroinitializer
  %197 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %196, <16 x float> %192, <16 x float> %181)
  %198 = getelementptr inbounds nuw i8, ptr %193, i64 4
  %199 = load float, ptr %198, align 4
  %200 = insertelement <16 x float> poison, float %199, i64 0
  %201 = shufflevector <16 x float> %200, <16 x float> poison, <16 x i32> zeroinitializer
  %202 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %201, <16 x float> %192, <16 x float> %180)
  %203 = getelementptr inbounds nuw i8, ptr %193, i64 8
  %204 = load float, ptr %203, align 8
  %205 = insertelement <16 x float> poison, float %204, i64 0
  %206 = shufflevector <16 x float> %205, <16 x float> poison, <16 x i32> zeroinitializer
  %207 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %206, <16 x float> %192, <16 x float> %179)
  %208 = getelementptr inbounds nuw i8, ptr %193, i64 12
  %209 = load float, ptr %208, align 4
  %210 = insertelement <16 x float> poison, float %209, i64 0
  %211 = shufflevector <16 x float> %210, <16 x float> poison, <16 x i32> zeroinitializer
  %212 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %211, <16 x float> %192, <16 x float> %178)
  %213 = getelementptr inbounds nuw i8, ptr %193, i64 16
  %214 = load float, ptr %213, align 16
  %215 = insertelement <16 x float> poison, float %214, i64 0
  %216 = shufflevector <16 x float> %215, <16 x float> poison, <16 x i32> zeroinitializer
  %217 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %216, <16 x float> %192, <16 x float> %189)
  %218 = getelementptr inbounds nuw i8, ptr %193, i64 20
  %219 = load float, ptr %218, align 4
  %220 = insertelement <16 x float> poison, float %219, i64 0
  %221 = shufflevector <16 x float> %220, <16 x float> poison, <16 x i32> zeroinitializer
  %222 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %221, <16 x float> %192, <16 x float> %188)
  %223 = getelementptr inbounds nuw i8, ptr %193, i64 24
  %224 = load float, ptr %223, align 8
  %225 = insertelement <16 x float> poison, float %224, i64 0
  %226 = shufflevector <16 x float> %225, <16 x float> poison, <16 x i32> zeroinitializer
  %227 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %226, <16 x float> %192, <16 x float> %187)
  %228 = getelementptr inbounds nuw i8, ptr %193, i64 28
  %229 = load float, ptr %228, align 4
  %230 = insertelement <16 x float> poison, float %229, i64 0
  %231 = shufflevector <16 x float> %230, <16 x float> poison, <16 x i32> zeroinitializer
  %232 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %231, <16 x float> %192, <16 x float> %186)
  %233 = getelementptr inbounds nuw i8, ptr %193, i64 32
  %234 = load float, ptr %233, align 32
  %235 = insertelement <16 x float> poison, float %234, i64 0
  %236 = shufflevector <16 x float> %235, <16 x float> poison, <16 x i32> zeroinitializer
  %237 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %236, <16 x float> %192, <16 x float> %185)
  %238 = getelementptr inbounds nuw i8, ptr %193, i64 36
  %239 = load float, ptr %238, align 4
  %240 = insertelement <16 x float> poison, float %239, i64 0
  %241 = shufflevector <16 x float> %240, <16 x float> poison, <16 x i32> zeroinitializer
  %242 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %241, <16 x float> %192, <16 x float> %184)
  %243 = getelementptr inbounds nuw i8, ptr %193, i64 40
  %244 = load float, ptr %243, align 8
  %245 = insertelement <16 x float> poison, float %244, i64 0
  %246 = shufflevector <16 x float> %245, <16 x float> poison, <16 x i32> zeroinitializer
  %247 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %246, <16 x float> %192, <16 x float> %183)
  %248 = getelementptr inbounds nuw i8, ptr %193, i64 44
  %249 = load float, ptr %248, align 4
  %250 = insertelement <16 x float> poison, float %249, i64 0
  %251 = shufflevector <16 x float> %250, <16 x float> poison, <16 x i32> zeroinitializer
  %252 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %251, <16 x float> %192, <16 x float> %182)
  %253 = getelementptr inbounds nuw i8, ptr %193, i64 48
  %254 = load float, ptr %253, align 16
  %255 = insertelement <16 x float> poison, float %254, i64 0
  %256 = shufflevector <16 x float> %255, <16 x float> poison, <16 x i32> zeroinitializer
  %257 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %256, <16 x float> %192, <16 x float> %177)
  %258 = getelementptr inbounds nuw i8, ptr %193, i64 52
  %259 = load float, ptr %258, align 4
  %260 = insertelement <16 x float> poison, float %259, i64 0
  %261 = shufflevector <16 x float> %260, <16 x float> poison, <16 x i32> zeroinitializer
  %262 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %261, <16 x float> %192, <16 x float> %176)
  %263 = getelementptr inbounds nuw i8, ptr %193, i64 56
  %264 = load float, ptr %263, align 8
  %265 = insertelement <16 x float> poison, float %264, i64 0
  %266 = shufflevector <16 x float> %265, <16 x float> poison, <16 x i32> zeroinitializer
  %267 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %266, <16 x float> %192, <16 x float> %175)
  %268 = getelementptr inbounds nuw i8, ptr %193, i64 60
  %269 = load float, ptr %268, align 4
  %270 = insertelement <16 x float> poison, float %269, i64 0
  %271 = shufflevector <16 x float> %270, <16 x float> poison, <16 x i32> zeroinitializer
  %272 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %271, <16 x float> %192, <16 x float> %174)
  %273 = add nuw nsw i64 %190, 1
  %274 = icmp eq i64 %273, 32
  br i1 %274, label %275, label %173, !llvm.loop !141

275:                                              ; preds = %173
  store <16 x float> %197, ptr %15, align 64
  store <16 x float> %202, ptr %158, align 64
  store <16 x float> %207, ptr %159, align 64
  store <16 x float> %212, ptr %160, align 64
  store <16 x float> %217, ptr %142, align 64
  store <16 x float> %222, ptr %144, align 64
  store <16 x float> %227, ptr %146, align 64
  store <16 x float> %232, ptr %148, align 64
  store <16 x float> %237, ptr %150, align 64
  store <16 x float> %242, ptr %152, align 64
  store <16 x float> %247, ptr %154, align 64
  store <16 x float> %252, ptr %156, align 64
  store <16 x float> %257, ptr %161, align 64
  store <16 x float> %262, ptr %162, align 64
  store <16 x float> %267, ptr %163, align 64
  store <16 x float> %272, ptr %164, align 64
  br label %276

276:                                              ; preds = %275, %276
  %277 = phi i64 [ 0, %275 ], [ %281, %276 ]
  %278 = getelementptr inbounds nuw <16 x float>, ptr %15, i64 %277
  %279 = load <16 x float>, ptr %278, align 64
  %280 = getelementptr inbounds nuw <16 x float>, ptr %16, i64 %277
  store <16 x float> %279, ptr %280, align 64
  %281 = add nuw nsw i64 %277, 1
  %282 = icmp eq i64 %281, 16
  br i1 %282, label %283, label %276, !llvm.loop !142

283:                                              ; preds = %276
  call void @llvm.lifetime.end.p0(ptr nonnull %15) #20
  br label %284

284:                                              ; preds = %312, %371, %283
  br label %387

285:                                              ; preds = %119, %312
  %286 = phi i64 [ %317, %312 ], [ 0, %119 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %13) #20
  %287 = getelementptr inbounds nuw float, ptr @At, i64 %286
  br label %288

288:                                              ; preds = %288, %285
  %289 = phi i64 [ 0, %285 ], [ %298, %288 ]
  %290 = getelementptr inbounds nuw <16 x float>, ptr %287, i64 %289
  %291 = load float, ptr %290, align 4
  %292 = insertelement <16 x float> poison, float %291, i64 0
  %293 = shufflevector <16 x float> %292, <16 x float> poison, <16 x i32> zeroinitializer
  %294 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %289
  %295 = load <16 x float>, ptr %294, align 64
  %296 = fmul <16 x float> %295, %293
  %297 = getelementptr inbounds nuw <16 x float>, ptr %13, i64 %289
  store <16 x float> %296, ptr %297, align 64
  %298 = add nuw nsw i64 %289, 1
  %299 = icmp eq i64 %298, 32
  br i1 %299, label %300, label %288, !llvm.loop !143

300:                                              ; preds = %288, %319
  %301 = phi i32 [ %321, %319 ], [ 32, %288 ]
  %302 = lshr i32 %301, 1
  %303 = icmp eq i32 %302, 0
  br i1 %303, label %319, label %304

304:                                              ; preds = %300
  %305 = and i32 %301, 1
  %306 = icmp eq i32 %305, 0
  %307 = add nsw i32 %301, -1
  %308 = zext i32 %307 to i64
  %309 = getelementptr inbounds nuw <16 x float>, ptr %13, i64 %308
  %310 = zext nneg i32 %302 to i64
  %311 = getelementptr inbounds nuw <16 x float>, ptr %13, i64 %310
  br label %323

312:                                              ; preds = %319
  %313 = getelementptr inbounds nuw <16 x float>, ptr %16, i64 %286
  %314 = load <16 x float>, ptr %313, align 64
  %315 = load <16 x float>, ptr %13, align 64
  %316 = fadd <16 x float> %314, %315
  store <16 x float> %316, ptr %313, align 64
  call void @llvm.lifetime.end.p0(ptr nonnull %13) #20
  %317 = add nuw nsw i64 %286, 1
  %318 = icmp eq i64 %317, 16
  br i1 %318, label %284, label %285, !llvm.loop !144

319:                                              ; preds = %337, %300
  %320 = add nuw nsw i32 %301, 1
  %321 = lshr i32 %320, 1
  %322 = icmp samesign ugt i32 %301, 2
  br i1 %322, label %300, label %312, !llvm.loop !145

323:                                              ; preds = %337, %304
  %324 = phi i64 [ 0, %304 ], [ %332, %337 ]
  %325 = shl nuw i64 %324, 7
  %326 = getelementptr inbounds nuw i8, ptr %13, i64 %325
  %327 = load <16 x float>, ptr %326, align 64
  %328 = getelementptr inbounds nuw i8, ptr %326, i64 64
  %329 = load <16 x float>, ptr %328, align 64
  %330 = fadd <16 x float> %327, %329
  %331 = getelementptr inbounds nuw <16 x float>, ptr %13, i64 %324
  store <16 x float> %330, ptr %331, align 64
  %332 = add nuw nsw i64 %324, 1
  %333 = icmp ne i64 %332, %310
  %334 = or i1 %306, %333
  br i1 %334, label %337, label %335

335:                                              ; preds = %323
  %336 = load <16 x float>, ptr %309, align 64
  store <16 x float> %336, ptr %311, align 64
  br label %337

337:                                              ; preds = %335, %323
  br i1 %333, label %323, label %319, !llvm.loop !146

338:                                              ; preds = %119, %371
  %339 = phi i64 [ %372, %371 ], [ 0, %119 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %12) #20
  br label %342

340:                                              ; preds = %342
  %341 = getelementptr inbounds nuw float, ptr @At, i64 %339
  br label %350

342:                                              ; preds = %342, %338
  %343 = phi i64 [ 0, %338 ], [ %345, %342 ]
  %344 = getelementptr inbounds nuw double, ptr %12, i64 %343
  store double 0.000000e+00, ptr %344, align 8
  %345 = add nuw nsw i64 %343, 1
  %346 = icmp eq i64 %345, 16
  br i1 %346, label %340, label %342, !llvm.loop !147

347:                                              ; preds = %357
  %348 = getelementptr inbounds nuw <16 x float>, ptr %16, i64 %339
  %349 = load <16 x float>, ptr %348, align 64
  br label %374

350:                                              ; preds = %357, %340
  %351 = phi i64 [ 0, %340 ], [ %358, %357 ]
  %352 = getelementptr inbounds nuw <16 x float>, ptr %341, i64 %351
  %353 = load float, ptr %352, align 4
  %354 = fpext float %353 to double
  %355 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %351
  %356 = load <16 x float>, ptr %355, align 64
  br label %360

357:                                              ; preds = %360
  %358 = add nuw nsw i64 %351, 1
  %359 = icmp eq i64 %358, 32
  br i1 %359, label %347, label %350, !llvm.loop !148

360:                                              ; preds = %360, %350
  %361 = phi i64 [ 0, %350 ], [ %369, %360 ]
  %362 = trunc nuw nsw i64 %361 to i32
  %363 = extractelement <16 x float> %356, i32 %362
  %364 = fpext float %363 to double
  %365 = fmul double %354, %364
  %366 = getelementptr inbounds nuw double, ptr %12, i64 %361
  %367 = load double, ptr %366, align 8
  %368 = fadd double %367, %365
  store double %368, ptr %366, align 8
  %369 = add nuw nsw i64 %361, 1
  %370 = icmp eq i64 %369, 16
  br i1 %370, label %357, label %360, !llvm.loop !149

371:                                              ; preds = %374
  store <16 x float> %384, ptr %348, align 64
  call void @llvm.lifetime.end.p0(ptr nonnull %12) #20
  %372 = add nuw nsw i64 %339, 1
  %373 = icmp eq i64 %372, 16
  br i1 %373, label %284, label %338, !llvm.loop !150

374:                                              ; preds = %374, %347
  %375 = phi i64 [ 0, %347 ], [ %385, %374 ]
  %376 = phi <16 x float> [ %349, %347 ], [ %384, %374 ]
  %377 = trunc nuw nsw i64 %375 to i32
  %378 = extractelement <16 x float> %376, i32 %377
  %379 = fpext float %378 to double
  %380 = getelementptr inbounds nuw double, ptr %12, i64 %375
  %381 = load double, ptr %380, align 8
  %382 = fadd double %381, %379
  %383 = fptrunc double %382 to float
  %384 = insertelement <16 x float> %376, float %383, i32 %377
  %385 = add nuw nsw i64 %375, 1
  %386 = icmp eq i64 %385, 16
  br i1 %386, label %371, label %374, !llvm.loop !151

387:                                              ; preds = %284, %397
  %388 = phi i64 [ %403, %397 ], [ 0, %284 ]
  %389 = and i64 %388, 3
  br i1 %47, label %397, label %390

390:                                              ; preds = %387
  %391 = getelementptr inbounds nuw <16 x float>, ptr %16, i64 %388
  %392 = load <16 x i32>, ptr %391, align 64
  %393 = and <16 x i32> %392, splat (i32 2139095040)
  %394 = icmp eq <16 x i32> %393, zeroinitializer
  %395 = select <16 x i1> %394, <16 x i32> splat (i32 -2147483648), <16 x i32> splat (i32 -1)
  %396 = and <16 x i32> %395, %392
  store <16 x i32> %396, ptr %391, align 64
  br label %397

397:                                              ; preds = %390, %387
  %398 = getelementptr inbounds nuw [64 x i32], ptr %48, i64 %389
  %399 = shl i64 %388, 2
  %400 = and i64 %399, 48
  %401 = getelementptr inbounds nuw i32, ptr %398, i64 %400
  %402 = getelementptr inbounds nuw <16 x float>, ptr %16, i64 %388
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(64) %401, ptr noundef nonnull align 64 dereferenceable(64) %402, i64 64, i1 false)
  %403 = add nuw nsw i64 %388, 1
  %404 = icmp eq i64 %403, 16
  br i1 %404, label %118, label %387, !llvm.loop !152

405:                                              ; preds = %9
  %406 = icmp eq i32 %2, 128
  %407 = icmp eq i32 %3, 4
  %408 = and i1 %406, %407
  %409 = icmp eq i32 %4, 4
  %410 = and i1 %408, %409
  %411 = and i1 %33, %410
  %412 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %413 = load ptr, ptr %412, align 8
  %414 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %415 = load ptr, ptr %414, align 8
  br i1 %411, label %416, label %562

416:                                              ; preds = %405
  %417 = getelementptr inbounds nuw i8, ptr %415, i64 768
  br label %418

418:                                              ; preds = %416, %437
  %419 = phi i64 [ 0, %416 ], [ %438, %437 ]
  %420 = shl nuw nsw i64 %419, 6
  %421 = getelementptr inbounds nuw i8, ptr %417, i64 %420
  %422 = shl nuw nsw i64 %419, 11
  %423 = getelementptr inbounds nuw i8, ptr @At, i64 %422
  br label %424

424:                                              ; preds = %418, %450
  %425 = phi i64 [ 0, %418 ], [ %459, %450 ]
  %426 = lshr i64 %425, 3
  %427 = and i64 %426, 536870911
  %428 = trunc i64 %425 to i32
  %429 = shl i32 %428, 2
  %430 = and i32 %429, 28
  %431 = icmp samesign ult i32 %430, 23
  %432 = sub nuw nsw i32 28, %430
  %433 = insertelement <16 x i32> poison, i32 %432, i64 0
  %434 = shufflevector <16 x i32> %433, <16 x i32> poison, <16 x i32> zeroinitializer
  %435 = getelementptr inbounds nuw [64 x i32], ptr %421, i64 %427
  %436 = load <16 x i32>, ptr %435, align 4
  br i1 %431, label %440, label %445

437:                                              ; preds = %450
  %438 = add nuw nsw i64 %419, 1
  %439 = icmp eq i64 %438, 4
  br i1 %439, label %461, label %418, !llvm.loop !137

440:                                              ; preds = %424
  %441 = sub nuw nsw i32 22, %430
  %442 = insertelement <16 x i32> poison, i32 %441, i64 0
  %443 = shufflevector <16 x i32> %442, <16 x i32> poison, <16 x i32> zeroinitializer
  %444 = shl <16 x i32> %436, %443
  br label %450

445:                                              ; preds = %424
  %446 = add nsw i32 %430, -22
  %447 = insertelement <16 x i32> poison, i32 %446, i64 0
  %448 = shufflevector <16 x i32> %447, <16 x i32> poison, <16 x i32> zeroinitializer
  %449 = lshr <16 x i32> %436, %448
  br label %450

450:                                              ; preds = %445, %440
  %451 = phi <16 x i32> [ %444, %440 ], [ %449, %445 ]
  %452 = and <16 x i32> %451, splat (i32 29360128)
  %453 = shl <16 x i32> %436, %434
  %454 = and <16 x i32> %453, splat (i32 -2147483648)
  %455 = or disjoint <16 x i32> %452, %454
  %456 = bitcast <16 x i32> %455 to <16 x float>
  %457 = fmul <16 x float> %456, splat (float 0x47D0000000000000)
  %458 = getelementptr inbounds nuw <16 x float>, ptr %423, i64 %425
  store <16 x float> %457, ptr %458, align 64
  %459 = add nuw nsw i64 %425, 1
  %460 = icmp eq i64 %459, 32
  br i1 %460, label %437, label %424, !llvm.loop !138

461:                                              ; preds = %437
  %462 = getelementptr inbounds nuw i8, ptr %415, i64 2816
  br label %463

463:                                              ; preds = %461, %482
  %464 = phi i64 [ 0, %461 ], [ %483, %482 ]
  %465 = shl nuw nsw i64 %464, 6
  %466 = getelementptr inbounds nuw i8, ptr %462, i64 %465
  %467 = shl nuw nsw i64 %464, 11
  %468 = getelementptr inbounds nuw i8, ptr @Bt, i64 %467
  br label %469

469:                                              ; preds = %463, %495
  %470 = phi i64 [ 0, %463 ], [ %504, %495 ]
  %471 = lshr i64 %470, 3
  %472 = and i64 %471, 536870911
  %473 = trunc i64 %470 to i32
  %474 = shl i32 %473, 2
  %475 = and i32 %474, 28
  %476 = icmp samesign ult i32 %475, 23
  %477 = sub nuw nsw i32 28, %475
  %478 = insertelement <16 x i32> poison, i32 %477, i64 0
  %479 = shufflevector <16 x i32> %478, <16 x i32> poison, <16 x i32> zeroinitializer
  %480 = getelementptr inbounds nuw [64 x i32], ptr %466, i64 %472
  %481 = load <16 x i32>, ptr %480, align 4
  br i1 %476, label %485, label %490

482:                                              ; preds = %495
  %483 = add nuw nsw i64 %464, 1
  %484 = icmp eq i64 %483, 4
  br i1 %484, label %506, label %463, !llvm.loop !137

485:                                              ; preds = %469
  %486 = sub nuw nsw i32 22, %475
  %487 = insertelement <16 x i32> poison, i32 %486, i64 0
  %488 = shufflevector <16 x i32> %487, <16 x i32> poison, <16 x i32> zeroinitializer
  %489 = shl <16 x i32> %481, %488
  br label %495

490:                                              ; preds = %469
  %491 = add nsw i32 %475, -22
  %492 = insertelement <16 x i32> poison, i32 %491, i64 0
  %493 = shufflevector <16 x i32> %492, <16 x i32> poison, <16 x i32> zeroinitializer
  %494 = lshr <16 x i32> %481, %493
  br label %495

495:                                              ; preds = %490, %485
  %496 = phi <16 x i32> [ %489, %485 ], [ %494, %490 ]
  %497 = and <16 x i32> %496, splat (i32 29360128)
  %498 = shl <16 x i32> %481, %479
  %499 = and <16 x i32> %498, splat (i32 -2147483648)
  %500 = or disjoint <16 x i32> %497, %499
  %501 = bitcast <16 x i32> %500 to <16 x float>
  %502 = fmul <16 x float> %501, splat (float 0x47D0000000000000)
  %503 = getelementptr inbounds nuw <16 x float>, ptr %468, i64 %470
  store <16 x float> %502, ptr %503, align 64
  %504 = add nuw nsw i64 %470, 1
  %505 = icmp eq i64 %504, 32
  br i1 %505, label %482, label %469, !llvm.loop !138

506:                                              ; preds = %482
  %507 = getelementptr inbounds nuw i8, ptr %415, i64 256
  %508 = shl i32 %5, 3
  %509 = shl i32 %6, 3
  br label %510

510:                                              ; preds = %506, %533
  %511 = phi i64 [ 0, %506 ], [ %536, %533 ]
  %512 = getelementptr inbounds nuw i32, ptr %415, i64 %511
  %513 = load i32, ptr %512, align 4
  %514 = lshr i32 %513, %508
  %515 = getelementptr inbounds nuw i32, ptr %507, i64 %511
  %516 = load i32, ptr %515, align 4
  %517 = lshr i32 %516, %509
  %518 = trunc i32 %514 to i8
  switch i8 %518, label %520 [
    i8 -1, label %519
    i8 0, label %524
  ]

519:                                              ; preds = %510
  br label %524

520:                                              ; preds = %510
  %521 = shl i32 %514, 23
  %522 = and i32 %521, 2139095040
  %523 = bitcast i32 %522 to float
  br label %524

524:                                              ; preds = %520, %519, %510
  %525 = phi float [ 0x7FF8000000000000, %519 ], [ %523, %520 ], [ 0x3800000000000000, %510 ]
  %526 = getelementptr inbounds nuw float, ptr @Sa, i64 %511
  store float %525, ptr %526, align 4
  %527 = trunc i32 %517 to i8
  switch i8 %527, label %529 [
    i8 -1, label %528
    i8 0, label %533
  ]

528:                                              ; preds = %524
  br label %533

529:                                              ; preds = %524
  %530 = shl i32 %517, 23
  %531 = and i32 %530, 2139095040
  %532 = bitcast i32 %531 to float
  br label %533

533:                                              ; preds = %529, %528, %524
  %534 = phi float [ 0x7FF8000000000000, %528 ], [ %532, %529 ], [ 0x3800000000000000, %524 ]
  %535 = getelementptr inbounds nuw float, ptr @Sb, i64 %511
  store float %534, ptr %535, align 4
  %536 = add nuw nsw i64 %511, 1
  %537 = icmp eq i64 %536, 64
  br i1 %537, label %538, label %510, !llvm.loop !153

538:                                              ; preds = %533
  call void @llvm.lifetime.start.p0(ptr nonnull %17) #20
  br label %541

539:                                              ; preds = %552
  call void @llvm.lifetime.end.p0(ptr nonnull %17) #20
  br label %1517

540:                                              ; preds = %541
  call fastcc void @rows_scaled(ptr noundef %413, ptr noundef %17, i32 noundef 128, i32 noundef 1, i32 noundef 0, i32 noundef 0, i32 noundef 1) #18
  br label %552

541:                                              ; preds = %538, %541
  %542 = phi i64 [ 0, %538 ], [ %550, %541 ]
  %543 = and i64 %542, 3
  %544 = getelementptr inbounds nuw <16 x float>, ptr %17, i64 %542
  %545 = getelementptr inbounds nuw [64 x i32], ptr %417, i64 %543
  %546 = getelementptr inbounds nuw i8, ptr %545, i64 4096
  %547 = shl i64 %542, 2
  %548 = and i64 %547, 48
  %549 = getelementptr inbounds nuw i32, ptr %546, i64 %548
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 64 dereferenceable(64) %544, ptr noundef nonnull align 4 dereferenceable(64) %549, i64 64, i1 false)
  %550 = add nuw nsw i64 %542, 1
  %551 = icmp eq i64 %550, 16
  br i1 %551, label %540, label %541, !llvm.loop !139

552:                                              ; preds = %540, %552
  %553 = phi i64 [ 0, %540 ], [ %560, %552 ]
  %554 = and i64 %553, 3
  %555 = getelementptr inbounds nuw [64 x i32], ptr %417, i64 %554
  %556 = shl i64 %553, 2
  %557 = and i64 %556, 48
  %558 = getelementptr inbounds nuw i32, ptr %555, i64 %557
  %559 = getelementptr inbounds nuw <16 x float>, ptr %17, i64 %553
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(64) %558, ptr noundef nonnull align 64 dereferenceable(64) %559, i64 64, i1 false)
  %560 = add nuw nsw i64 %553, 1
  %561 = icmp eq i64 %560, 16
  br i1 %561, label %539, label %552, !llvm.loop !152

562:                                              ; preds = %405
  %563 = lshr i32 %1, 4
  %564 = mul i32 %2, %1
  %565 = lshr i32 %564, 6
  %566 = getelementptr inbounds nuw i8, ptr %413, i64 204
  %567 = load i32, ptr %566, align 4
  %568 = icmp eq i32 %567, 0
  %569 = icmp ult i32 %3, 5
  %570 = or i1 %569, %568
  %571 = getelementptr inbounds nuw i8, ptr %415, i64 768
  %572 = udiv i32 64, %1
  %573 = icmp ugt i32 %1, 64
  br i1 %573, label %989, label %574

574:                                              ; preds = %562
  %575 = icmp eq i32 %565, 0
  %576 = icmp eq i32 %563, 0
  %577 = icmp eq i32 %3, 6
  %578 = icmp eq i32 %3, 0
  %579 = zext nneg i32 %565 to i64
  %580 = zext nneg i32 %572 to i64
  %581 = zext nneg i32 %563 to i64
  br label %582

582:                                              ; preds = %574, %627
  %583 = phi i64 [ 0, %574 ], [ %629, %627 ]
  %584 = phi <16 x float> [ undef, %574 ], [ %628, %627 ]
  br i1 %575, label %627, label %585

585:                                              ; preds = %582
  %586 = trunc nuw nsw i64 %583 to i32
  %587 = mul i32 %1, %586
  %588 = mul nuw nsw i64 %583, %579
  br label %589

589:                                              ; preds = %585, %631
  %590 = phi i64 [ 0, %585 ], [ %633, %631 ]
  %591 = phi <16 x float> [ %584, %585 ], [ %632, %631 ]
  br i1 %576, label %631, label %592

592:                                              ; preds = %589
  %593 = lshr i64 %590, 3
  %594 = and i64 %593, 536870911
  %595 = getelementptr inbounds nuw [64 x i32], ptr %571, i64 %594
  %596 = trunc i64 %590 to i32
  %597 = shl i32 %596, 2
  %598 = and i32 %597, 28
  %599 = icmp samesign ult i32 %598, 23
  %600 = add nsw i32 %598, -22
  %601 = insertelement <16 x i32> poison, i32 %600, i64 0
  %602 = shufflevector <16 x i32> %601, <16 x i32> poison, <16 x i32> zeroinitializer
  %603 = sub nuw nsw i32 22, %598
  %604 = insertelement <16 x i32> poison, i32 %603, i64 0
  %605 = shufflevector <16 x i32> %604, <16 x i32> poison, <16 x i32> zeroinitializer
  %606 = sub nuw nsw i32 28, %598
  %607 = insertelement <16 x i32> poison, i32 %606, i64 0
  %608 = shufflevector <16 x i32> %607, <16 x i32> poison, <16 x i32> zeroinitializer
  %609 = getelementptr inbounds nuw [64 x i32], ptr %571, i64 %590
  %610 = lshr i64 %590, 1
  %611 = and i64 %610, 2147483647
  %612 = getelementptr inbounds nuw [64 x i32], ptr %571, i64 %611
  %613 = and i64 %590, 1
  %614 = icmp eq i64 %613, 0
  %615 = lshr i64 %590, 2
  %616 = and i64 %615, 1073741823
  %617 = getelementptr inbounds nuw [64 x i32], ptr %571, i64 %616
  %618 = trunc i64 %590 to i32
  %619 = shl i32 %618, 3
  %620 = and i32 %619, 24
  %621 = trunc i64 %590 to i32
  %622 = shl i32 %621, 4
  %623 = and i32 %622, 16
  %624 = add nuw nsw i64 %590, %588
  %625 = trunc nuw i64 %624 to i32
  %626 = mul i32 %563, %625
  br label %635

627:                                              ; preds = %631, %582
  %628 = phi <16 x float> [ %584, %582 ], [ %632, %631 ]
  %629 = add nuw nsw i64 %583, 1
  %630 = icmp samesign ult i64 %629, %580
  br i1 %630, label %582, label %781, !llvm.loop !137

631:                                              ; preds = %773, %589
  %632 = phi <16 x float> [ %591, %589 ], [ %774, %773 ]
  %633 = add nuw nsw i64 %590, 1
  %634 = icmp eq i64 %633, %579
  br i1 %634, label %627, label %589, !llvm.loop !138

635:                                              ; preds = %592, %773
  %636 = phi i64 [ 0, %592 ], [ %779, %773 ]
  %637 = phi <16 x float> [ %591, %592 ], [ %774, %773 ]
  %638 = trunc i64 %636 to i32
  %639 = shl i32 %638, 4
  %640 = add i32 %639, %587
  switch i32 %3, label %672 [
    i32 5, label %641
    i32 7, label %652
    i32 4, label %656
  ]

641:                                              ; preds = %635
  %642 = zext i32 %640 to i64
  %643 = getelementptr inbounds nuw i32, ptr %612, i64 %642
  %644 = load <16 x i32>, ptr %643, align 4
  br i1 %614, label %647, label %645

645:                                              ; preds = %641
  %646 = and <16 x i32> %644, splat (i32 -65536)
  br label %649

647:                                              ; preds = %641
  %648 = shl <16 x i32> %644, splat (i32 16)
  br label %649

649:                                              ; preds = %647, %645
  %650 = phi <16 x i32> [ %646, %645 ], [ %648, %647 ]
  %651 = bitcast <16 x i32> %650 to <16 x float>
  br label %764

652:                                              ; preds = %635
  %653 = zext i32 %640 to i64
  %654 = getelementptr inbounds nuw i32, ptr %609, i64 %653
  %655 = load <16 x float>, ptr %654, align 4
  br label %764

656:                                              ; preds = %635
  %657 = zext i32 %640 to i64
  %658 = getelementptr inbounds nuw i32, ptr %595, i64 %657
  %659 = load <16 x i32>, ptr %658, align 4
  br i1 %599, label %660, label %662

660:                                              ; preds = %656
  %661 = shl <16 x i32> %659, %605
  br label %664

662:                                              ; preds = %656
  %663 = lshr <16 x i32> %659, %602
  br label %664

664:                                              ; preds = %662, %660
  %665 = phi <16 x i32> [ %661, %660 ], [ %663, %662 ]
  %666 = and <16 x i32> %665, splat (i32 29360128)
  %667 = shl <16 x i32> %659, %608
  %668 = and <16 x i32> %667, splat (i32 -2147483648)
  %669 = or disjoint <16 x i32> %666, %668
  %670 = bitcast <16 x i32> %669 to <16 x float>
  %671 = fmul <16 x float> %670, splat (float 0x47D0000000000000)
  br label %764

672:                                              ; preds = %635, %759
  %673 = phi i64 [ %762, %759 ], [ 0, %635 ]
  %674 = phi <16 x float> [ %761, %759 ], [ %637, %635 ]
  %675 = trunc nuw nsw i64 %673 to i32
  %676 = add i32 %640, %675
  %677 = zext i32 %676 to i64
  br i1 %577, label %678, label %705

678:                                              ; preds = %672
  %679 = getelementptr inbounds nuw i32, ptr %612, i64 %677
  %680 = load i32, ptr %679, align 4
  %681 = lshr i32 %680, %623
  %682 = shl i32 %681, 16
  %683 = and i32 %682, -2147483648
  %684 = lshr i32 %681, 10
  %685 = and i32 %684, 31
  %686 = and i32 %681, 1023
  switch i32 %685, label %692 [
    i32 31, label %687
    i32 0, label %699
  ]

687:                                              ; preds = %678
  %688 = shl nuw nsw i32 %686, 13
  %689 = or disjoint i32 %683, %688
  %690 = or disjoint i32 %689, 2139095040
  %691 = bitcast i32 %690 to float
  br label %759

692:                                              ; preds = %678
  %693 = shl nuw nsw i32 %685, 23
  %694 = add nuw nsw i32 %693, 939524096
  %695 = shl nuw nsw i32 %686, 13
  %696 = or disjoint i32 %694, %695
  %697 = or disjoint i32 %696, %683
  %698 = bitcast i32 %697 to float
  br label %759

699:                                              ; preds = %678
  %700 = uitofp nneg i32 %686 to float
  %701 = fmul float %700, 0x3E70000000000000
  %702 = icmp eq i32 %683, 0
  %703 = fneg float %701
  %704 = select i1 %702, float %701, float %703
  br label %759

705:                                              ; preds = %672
  %706 = getelementptr inbounds nuw i32, ptr %617, i64 %677
  %707 = load i32, ptr %706, align 4
  %708 = lshr i32 %707, %620
  %709 = and i32 %708, 255
  br i1 %578, label %710, label %734

710:                                              ; preds = %705
  %711 = lshr i32 %708, 3
  %712 = and i32 %711, 15
  %713 = and i32 %708, 7
  %714 = icmp eq i32 %712, 15
  %715 = icmp eq i32 %713, 7
  %716 = and i1 %715, %714
  br i1 %716, label %759, label %717

717:                                              ; preds = %710
  %718 = icmp eq i32 %712, 0
  br i1 %718, label %725, label %719

719:                                              ; preds = %717
  %720 = shl nuw nsw i32 %712, 23
  %721 = add nuw nsw i32 %720, 1006632960
  %722 = shl nuw nsw i32 %713, 20
  %723 = or disjoint i32 %721, %722
  %724 = bitcast i32 %723 to float
  br label %728

725:                                              ; preds = %717
  %726 = uitofp nneg i32 %713 to float
  %727 = fmul float %726, 0x3F60000000000000
  br label %728

728:                                              ; preds = %725, %719
  %729 = phi float [ %724, %719 ], [ %727, %725 ]
  %730 = and i32 %708, 128
  %731 = icmp eq i32 %730, 0
  %732 = fneg float %729
  %733 = select i1 %731, float %729, float %732
  br label %759

734:                                              ; preds = %705
  %735 = shl nuw nsw i32 %709, 8
  %736 = shl nuw i32 %709, 24
  %737 = and i32 %736, -2147483648
  %738 = lshr i32 %708, 2
  %739 = and i32 %738, 31
  %740 = and i32 %735, 768
  switch i32 %739, label %746 [
    i32 31, label %741
    i32 0, label %753
  ]

741:                                              ; preds = %734
  %742 = shl nuw nsw i32 %709, 21
  %743 = or i32 %736, %742
  %744 = or i32 %743, 2139095040
  %745 = bitcast i32 %744 to float
  br label %759

746:                                              ; preds = %734
  %747 = shl nuw nsw i32 %739, 23
  %748 = add nuw nsw i32 %747, 939524096
  %749 = shl nuw nsw i32 %740, 13
  %750 = or disjoint i32 %748, %749
  %751 = or disjoint i32 %750, %737
  %752 = bitcast i32 %751 to float
  br label %759

753:                                              ; preds = %734
  %754 = uitofp nneg i32 %740 to float
  %755 = fmul float %754, 0x3E70000000000000
  %756 = icmp eq i32 %737, 0
  %757 = fneg float %755
  %758 = select i1 %756, float %755, float %757
  br label %759

759:                                              ; preds = %753, %746, %741, %728, %710, %699, %692, %687
  %760 = phi float [ %758, %753 ], [ %752, %746 ], [ %745, %741 ], [ %733, %728 ], [ 0x7FF8000000000000, %710 ], [ %704, %699 ], [ %698, %692 ], [ %691, %687 ]
  %761 = insertelement <16 x float> %674, float %760, i32 %675
  %762 = add nuw nsw i64 %673, 1
  %763 = icmp eq i64 %762, 16
  br i1 %763, label %764, label %672, !llvm.loop !154

764:                                              ; preds = %759, %664, %652, %649
  %765 = phi <16 x float> [ %651, %649 ], [ %655, %652 ], [ %671, %664 ], [ %761, %759 ]
  br i1 %570, label %773, label %766

766:                                              ; preds = %764
  %767 = bitcast <16 x float> %765 to <16 x i32>
  %768 = and <16 x i32> %767, splat (i32 2139095040)
  %769 = icmp eq <16 x i32> %768, zeroinitializer
  %770 = select <16 x i1> %769, <16 x i32> splat (i32 -2147483648), <16 x i32> splat (i32 -1)
  %771 = and <16 x i32> %770, %767
  %772 = bitcast <16 x i32> %771 to <16 x float>
  br label %773

773:                                              ; preds = %766, %764
  %774 = phi <16 x float> [ %772, %766 ], [ %765, %764 ]
  %775 = trunc nuw nsw i64 %636 to i32
  %776 = add i32 %626, %775
  %777 = zext i32 %776 to i64
  %778 = getelementptr inbounds nuw <16 x float>, ptr @At, i64 %777
  store <16 x float> %774, ptr %778, align 64
  %779 = add nuw nsw i64 %636, 1
  %780 = icmp eq i64 %779, %581
  br i1 %780, label %631, label %635, !llvm.loop !155

781:                                              ; preds = %627
  %782 = getelementptr inbounds nuw i8, ptr %415, i64 2816
  %783 = icmp eq i32 %565, 0
  %784 = icmp eq i32 %563, 0
  %785 = icmp eq i32 %4, 6
  %786 = icmp eq i32 %4, 0
  %787 = zext nneg i32 %565 to i64
  %788 = zext nneg i32 %572 to i64
  %789 = zext nneg i32 %563 to i64
  br label %790

790:                                              ; preds = %781, %835
  %791 = phi i64 [ 0, %781 ], [ %837, %835 ]
  %792 = phi <16 x float> [ undef, %781 ], [ %836, %835 ]
  br i1 %783, label %835, label %793

793:                                              ; preds = %790
  %794 = trunc nuw nsw i64 %791 to i32
  %795 = mul i32 %1, %794
  %796 = mul nuw nsw i64 %791, %787
  br label %797

797:                                              ; preds = %793, %839
  %798 = phi i64 [ 0, %793 ], [ %841, %839 ]
  %799 = phi <16 x float> [ %792, %793 ], [ %840, %839 ]
  br i1 %784, label %839, label %800

800:                                              ; preds = %797
  %801 = lshr i64 %798, 3
  %802 = and i64 %801, 536870911
  %803 = getelementptr inbounds nuw [64 x i32], ptr %782, i64 %802
  %804 = trunc i64 %798 to i32
  %805 = shl i32 %804, 2
  %806 = and i32 %805, 28
  %807 = icmp samesign ult i32 %806, 23
  %808 = add nsw i32 %806, -22
  %809 = insertelement <16 x i32> poison, i32 %808, i64 0
  %810 = shufflevector <16 x i32> %809, <16 x i32> poison, <16 x i32> zeroinitializer
  %811 = sub nuw nsw i32 22, %806
  %812 = insertelement <16 x i32> poison, i32 %811, i64 0
  %813 = shufflevector <16 x i32> %812, <16 x i32> poison, <16 x i32> zeroinitializer
  %814 = sub nuw nsw i32 28, %806
  %815 = insertelement <16 x i32> poison, i32 %814, i64 0
  %816 = shufflevector <16 x i32> %815, <16 x i32> poison, <16 x i32> zeroinitializer
  %817 = getelementptr inbounds nuw [64 x i32], ptr %782, i64 %798
  %818 = lshr i64 %798, 1
  %819 = and i64 %818, 2147483647
  %820 = getelementptr inbounds nuw [64 x i32], ptr %782, i64 %819
  %821 = and i64 %798, 1
  %822 = icmp eq i64 %821, 0
  %823 = lshr i64 %798, 2
  %824 = and i64 %823, 1073741823
  %825 = getelementptr inbounds nuw [64 x i32], ptr %782, i64 %824
  %826 = trunc i64 %798 to i32
  %827 = shl i32 %826, 3
  %828 = and i32 %827, 24
  %829 = trunc i64 %798 to i32
  %830 = shl i32 %829, 4
  %831 = and i32 %830, 16
  %832 = add nuw nsw i64 %798, %796
  %833 = trunc nuw i64 %832 to i32
  %834 = mul i32 %563, %833
  br label %843

835:                                              ; preds = %839, %790
  %836 = phi <16 x float> [ %792, %790 ], [ %840, %839 ]
  %837 = add nuw nsw i64 %791, 1
  %838 = icmp samesign ult i64 %837, %788
  br i1 %838, label %790, label %989, !llvm.loop !137

839:                                              ; preds = %981, %797
  %840 = phi <16 x float> [ %799, %797 ], [ %982, %981 ]
  %841 = add nuw nsw i64 %798, 1
  %842 = icmp eq i64 %841, %787
  br i1 %842, label %835, label %797, !llvm.loop !138

843:                                              ; preds = %800, %981
  %844 = phi i64 [ 0, %800 ], [ %987, %981 ]
  %845 = phi <16 x float> [ %799, %800 ], [ %982, %981 ]
  %846 = trunc i64 %844 to i32
  %847 = shl i32 %846, 4
  %848 = add i32 %847, %795
  switch i32 %4, label %880 [
    i32 5, label %849
    i32 7, label %860
    i32 4, label %864
  ]

849:                                              ; preds = %843
  %850 = zext i32 %848 to i64
  %851 = getelementptr inbounds nuw i32, ptr %820, i64 %850
  %852 = load <16 x i32>, ptr %851, align 4
  br i1 %822, label %855, label %853

853:                                              ; preds = %849
  %854 = and <16 x i32> %852, splat (i32 -65536)
  br label %857

855:                                              ; preds = %849
  %856 = shl <16 x i32> %852, splat (i32 16)
  br label %857

857:                                              ; preds = %855, %853
  %858 = phi <16 x i32> [ %854, %853 ], [ %856, %855 ]
  %859 = bitcast <16 x i32> %858 to <16 x float>
  br label %972

860:                                              ; preds = %843
  %861 = zext i32 %848 to i64
  %862 = getelementptr inbounds nuw i32, ptr %817, i64 %861
  %863 = load <16 x float>, ptr %862, align 4
  br label %972

864:                                              ; preds = %843
  %865 = zext i32 %848 to i64
  %866 = getelementptr inbounds nuw i32, ptr %803, i64 %865
  %867 = load <16 x i32>, ptr %866, align 4
  br i1 %807, label %868, label %870

868:                                              ; preds = %864
  %869 = shl <16 x i32> %867, %813
  br label %872

870:                                              ; preds = %864
  %871 = lshr <16 x i32> %867, %810
  br label %872

872:                                              ; preds = %870, %868
  %873 = phi <16 x i32> [ %869, %868 ], [ %871, %870 ]
  %874 = and <16 x i32> %873, splat (i32 29360128)
  %875 = shl <16 x i32> %867, %816
  %876 = and <16 x i32> %875, splat (i32 -2147483648)
  %877 = or disjoint <16 x i32> %874, %876
  %878 = bitcast <16 x i32> %877 to <16 x float>
  %879 = fmul <16 x float> %878, splat (float 0x47D0000000000000)
  br label %972

880:                                              ; preds = %843, %967
  %881 = phi i64 [ %970, %967 ], [ 0, %843 ]
  %882 = phi <16 x float> [ %969, %967 ], [ %845, %843 ]
  %883 = trunc nuw nsw i64 %881 to i32
  %884 = add i32 %848, %883
  %885 = zext i32 %884 to i64
  br i1 %785, label %886, label %913

886:                                              ; preds = %880
  %887 = getelementptr inbounds nuw i32, ptr %820, i64 %885
  %888 = load i32, ptr %887, align 4
  %889 = lshr i32 %888, %831
  %890 = shl i32 %889, 16
  %891 = and i32 %890, -2147483648
  %892 = lshr i32 %889, 10
  %893 = and i32 %892, 31
  %894 = and i32 %889, 1023
  switch i32 %893, label %900 [
    i32 31, label %895
    i32 0, label %907
  ]

895:                                              ; preds = %886
  %896 = shl nuw nsw i32 %894, 13
  %897 = or disjoint i32 %891, %896
  %898 = or disjoint i32 %897, 2139095040
  %899 = bitcast i32 %898 to float
  br label %967

900:                                              ; preds = %886
  %901 = shl nuw nsw i32 %893, 23
  %902 = add nuw nsw i32 %901, 939524096
  %903 = shl nuw nsw i32 %894, 13
  %904 = or disjoint i32 %902, %903
  %905 = or disjoint i32 %904, %891
  %906 = bitcast i32 %905 to float
  br label %967

907:                                              ; preds = %886
  %908 = uitofp nneg i32 %894 to float
  %909 = fmul float %908, 0x3E70000000000000
  %910 = icmp eq i32 %891, 0
  %911 = fneg float %909
  %912 = select i1 %910, float %909, float %911
  br label %967

913:                                              ; preds = %880
  %914 = getelementptr inbounds nuw i32, ptr %825, i64 %885
  %915 = load i32, ptr %914, align 4
  %916 = lshr i32 %915, %828
  %917 = and i32 %916, 255
  br i1 %786, label %918, label %942

918:                                              ; preds = %913
  %919 = lshr i32 %916, 3
  %920 = and i32 %919, 15
  %921 = and i32 %916, 7
  %922 = icmp eq i32 %920, 15
  %923 = icmp eq i32 %921, 7
  %924 = and i1 %923, %922
  br i1 %924, label %967, label %925

925:                                              ; preds = %918
  %926 = icmp eq i32 %920, 0
  br i1 %926, label %933, label %927

927:                                              ; preds = %925
  %928 = shl nuw nsw i32 %920, 23
  %929 = add nuw nsw i32 %928, 1006632960
  %930 = shl nuw nsw i32 %921, 20
  %931 = or disjoint i32 %929, %930
  %932 = bitcast i32 %931 to float
  br label %936

933:                                              ; preds = %925
  %934 = uitofp nneg i32 %921 to float
  %935 = fmul float %934, 0x3F60000000000000
  br label %936

936:                                              ; preds = %933, %927
  %937 = phi float [ %932, %927 ], [ %935, %933 ]
  %938 = and i32 %916, 128
  %939 = icmp eq i32 %938, 0
  %940 = fneg float %937
  %941 = select i1 %939, float %937, float %940
  br label %967

942:                                              ; preds = %913
  %943 = shl nuw nsw i32 %917, 8
  %944 = shl nuw i32 %917, 24
  %945 = and i32 %944, -2147483648
  %946 = lshr i32 %916, 2
  %947 = and i32 %946, 31
  %948 = and i32 %943, 768
  switch i32 %947, label %954 [
    i32 31, label %949
    i32 0, label %961
  ]

949:                                              ; preds = %942
  %950 = shl nuw nsw i32 %917, 21
  %951 = or i32 %944, %950
  %952 = or i32 %951, 2139095040
  %953 = bitcast i32 %952 to float
  br label %967

954:                                              ; preds = %942
  %955 = shl nuw nsw i32 %947, 23
  %956 = add nuw nsw i32 %955, 939524096
  %957 = shl nuw nsw i32 %948, 13
  %958 = or disjoint i32 %956, %957
  %959 = or disjoint i32 %958, %945
  %960 = bitcast i32 %959 to float
  br label %967

961:                                              ; preds = %942
  %962 = uitofp nneg i32 %948 to float
  %963 = fmul float %962, 0x3E70000000000000
  %964 = icmp eq i32 %945, 0
  %965 = fneg float %963
  %966 = select i1 %964, float %963, float %965
  br label %967

967:                                              ; preds = %961, %954, %949, %936, %918, %907, %900, %895
  %968 = phi float [ %966, %961 ], [ %960, %954 ], [ %953, %949 ], [ %941, %936 ], [ 0x7FF8000000000000, %918 ], [ %912, %907 ], [ %906, %900 ], [ %899, %895 ]
  %969 = insertelement <16 x float> %882, float %968, i32 %883
  %970 = add nuw nsw i64 %881, 1
  %971 = icmp eq i64 %970, 16
  br i1 %971, label %972, label %880, !llvm.loop !154

972:                                              ; preds = %967, %872, %860, %857
  %973 = phi <16 x float> [ %859, %857 ], [ %863, %860 ], [ %879, %872 ], [ %969, %967 ]
  br i1 %570, label %981, label %974

974:                                              ; preds = %972
  %975 = bitcast <16 x float> %973 to <16 x i32>
  %976 = and <16 x i32> %975, splat (i32 2139095040)
  %977 = icmp eq <16 x i32> %976, zeroinitializer
  %978 = select <16 x i1> %977, <16 x i32> splat (i32 -2147483648), <16 x i32> splat (i32 -1)
  %979 = and <16 x i32> %978, %975
  %980 = bitcast <16 x i32> %979 to <16 x float>
  br label %981

981:                                              ; preds = %974, %972
  %982 = phi <16 x float> [ %980, %974 ], [ %973, %972 ]
  %983 = trunc nuw nsw i64 %844 to i32
  %984 = add i32 %834, %983
  %985 = zext i32 %984 to i64
  %986 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %985
  store <16 x float> %982, ptr %986, align 64
  %987 = add nuw nsw i64 %844, 1
  %988 = icmp eq i64 %987, %789
  br i1 %988, label %839, label %843, !llvm.loop !155

989:                                              ; preds = %835, %562
  br i1 %37, label %1022, label %990

990:                                              ; preds = %989
  %991 = getelementptr inbounds nuw i8, ptr %415, i64 256
  %992 = shl i32 %5, 3
  %993 = shl i32 %6, 3
  br label %994

994:                                              ; preds = %990, %1017
  %995 = phi i64 [ 0, %990 ], [ %1020, %1017 ]
  %996 = getelementptr inbounds nuw i32, ptr %415, i64 %995
  %997 = load i32, ptr %996, align 4
  %998 = lshr i32 %997, %992
  %999 = getelementptr inbounds nuw i32, ptr %991, i64 %995
  %1000 = load i32, ptr %999, align 4
  %1001 = lshr i32 %1000, %993
  %1002 = trunc i32 %998 to i8
  switch i8 %1002, label %1004 [
    i8 -1, label %1003
    i8 0, label %1008
  ]

1003:                                             ; preds = %994
  br label %1008

1004:                                             ; preds = %994
  %1005 = shl i32 %998, 23
  %1006 = and i32 %1005, 2139095040
  %1007 = bitcast i32 %1006 to float
  br label %1008

1008:                                             ; preds = %1004, %1003, %994
  %1009 = phi float [ 0x7FF8000000000000, %1003 ], [ %1007, %1004 ], [ 0x3800000000000000, %994 ]
  %1010 = getelementptr inbounds nuw float, ptr @Sa, i64 %995
  store float %1009, ptr %1010, align 4
  %1011 = trunc i32 %1001 to i8
  switch i8 %1011, label %1013 [
    i8 -1, label %1012
    i8 0, label %1017
  ]

1012:                                             ; preds = %1008
  br label %1017

1013:                                             ; preds = %1008
  %1014 = shl i32 %1001, 23
  %1015 = and i32 %1014, 2139095040
  %1016 = bitcast i32 %1015 to float
  br label %1017

1017:                                             ; preds = %1013, %1012, %1008
  %1018 = phi float [ 0x7FF8000000000000, %1012 ], [ %1016, %1013 ], [ 0x3800000000000000, %1008 ]
  %1019 = getelementptr inbounds nuw float, ptr @Sb, i64 %995
  store float %1018, ptr %1019, align 4
  %1020 = add nuw nsw i64 %995, 1
  %1021 = icmp eq i64 %1020, 64
  br i1 %1021, label %1022, label %994, !llvm.loop !153

1022:                                             ; preds = %1017, %989
  call void @llvm.lifetime.start.p0(ptr nonnull %18) #20
  %1023 = icmp eq i32 %563, 0
  br i1 %1023, label %1516, label %1024

1024:                                             ; preds = %1022
  %1025 = and i1 %407, %409
  %1026 = zext i1 %1025 to i32
  %1027 = getelementptr inbounds nuw i8, ptr %413, i64 200
  %1028 = icmp eq i32 %2, 0
  %1029 = icmp ugt i32 %2, 1
  %1030 = zext i32 %2 to i64
  %1031 = icmp eq i32 %3, 7
  %1032 = zext nneg i32 %563 to i64
  %1033 = getelementptr inbounds nuw i8, ptr %14, i64 64
  %1034 = getelementptr inbounds nuw i8, ptr %14, i64 64
  %1035 = getelementptr inbounds nuw i8, ptr %14, i64 128
  %1036 = getelementptr inbounds nuw i8, ptr %14, i64 128
  %1037 = getelementptr inbounds nuw i8, ptr %14, i64 192
  %1038 = getelementptr inbounds nuw i8, ptr %14, i64 192
  %1039 = getelementptr inbounds nuw i8, ptr %14, i64 256
  %1040 = getelementptr inbounds nuw i8, ptr %14, i64 256
  %1041 = getelementptr inbounds nuw i8, ptr %14, i64 320
  %1042 = getelementptr inbounds nuw i8, ptr %14, i64 320
  %1043 = getelementptr inbounds nuw i8, ptr %14, i64 384
  %1044 = getelementptr inbounds nuw i8, ptr %14, i64 384
  %1045 = getelementptr inbounds nuw i8, ptr %14, i64 448
  %1046 = getelementptr inbounds nuw i8, ptr %14, i64 448
  %1047 = getelementptr inbounds nuw i8, ptr %14, i64 512
  %1048 = getelementptr inbounds nuw i8, ptr %14, i64 512
  %1049 = getelementptr inbounds nuw i8, ptr %14, i64 576
  %1050 = getelementptr inbounds nuw i8, ptr %14, i64 576
  %1051 = getelementptr inbounds nuw i8, ptr %14, i64 640
  %1052 = getelementptr inbounds nuw i8, ptr %14, i64 640
  %1053 = getelementptr inbounds nuw i8, ptr %14, i64 704
  %1054 = getelementptr inbounds nuw i8, ptr %14, i64 704
  %1055 = getelementptr inbounds nuw i8, ptr %14, i64 768
  %1056 = getelementptr inbounds nuw i8, ptr %14, i64 768
  %1057 = getelementptr inbounds nuw i8, ptr %14, i64 832
  %1058 = getelementptr inbounds nuw i8, ptr %14, i64 832
  %1059 = getelementptr inbounds nuw i8, ptr %14, i64 896
  %1060 = getelementptr inbounds nuw i8, ptr %14, i64 896
  %1061 = getelementptr inbounds nuw i8, ptr %14, i64 960
  br label %1062

1062:                                             ; preds = %1024, %1072
  %1063 = phi i64 [ 0, %1024 ], [ %1073, %1072 ]
  %1064 = shl nuw i64 %1063, 4
  %1065 = trunc nuw nsw i64 %1063 to i32
  %1066 = trunc nuw nsw i64 %1063 to i32
  %1067 = trunc nuw nsw i64 %1063 to i32
  %1068 = trunc nuw nsw i64 %1063 to i32
  br label %1069

1069:                                             ; preds = %1062, %1479
  %1070 = phi i32 [ 0, %1062 ], [ %1480, %1479 ]
  %1071 = shl nuw i32 %1070, 4
  br label %1076

1072:                                             ; preds = %1479
  %1073 = add nuw nsw i64 %1063, 1
  %1074 = icmp eq i64 %1073, %1032
  br i1 %1074, label %1516, label %1062, !llvm.loop !156

1075:                                             ; preds = %1086
  br i1 %37, label %1105, label %1103

1076:                                             ; preds = %1069, %1086
  %1077 = phi i64 [ 0, %1069 ], [ %1101, %1086 ]
  %1078 = add nuw nsw i64 %1077, %1064
  br i1 %33, label %1079, label %1081

1079:                                             ; preds = %1076
  %1080 = and i64 %1077, 3
  br label %1086

1081:                                             ; preds = %1076
  %1082 = lshr i64 %1078, 1
  %1083 = and i64 %1082, 2147483644
  %1084 = and i64 %1077, 3
  %1085 = or disjoint i64 %1083, %1084
  br label %1086

1086:                                             ; preds = %1081, %1079
  %1087 = phi i64 [ %1085, %1081 ], [ %1080, %1079 ]
  %1088 = trunc i64 %1077 to i32
  %1089 = trunc i64 %1078 to i32
  %1090 = lshr i32 %1089, 2
  %1091 = lshr i32 %1088, 2
  %1092 = and i32 %1091, 1
  %1093 = select i1 %33, i32 %1090, i32 %1092
  %1094 = getelementptr inbounds nuw <16 x float>, ptr %18, i64 %1077
  %1095 = getelementptr inbounds nuw [64 x i32], ptr %571, i64 %1087
  %1096 = getelementptr inbounds nuw i8, ptr %1095, i64 4096
  %1097 = mul i32 %1093, %1
  %1098 = add i32 %1097, %1071
  %1099 = zext i32 %1098 to i64
  %1100 = getelementptr inbounds nuw i32, ptr %1096, i64 %1099
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 64 dereferenceable(64) %1094, ptr noundef nonnull align 4 dereferenceable(64) %1100, i64 64, i1 false)
  %1101 = add nuw nsw i64 %1077, 1
  %1102 = icmp eq i64 %1101, 16
  br i1 %1102, label %1075, label %1076, !llvm.loop !139

1103:                                             ; preds = %1075
  call fastcc void @rows_scaled(ptr noundef %413, ptr noundef %18, i32 noundef %2, i32 noundef %563, i32 noundef %1065, i32 noundef %1070, i32 noundef %1026) #18
  br label %1104

1104:                                             ; preds = %1397, %1463, %1361, %1103
  br label %1482

1105:                                             ; preds = %1075
  %1106 = load i32, ptr %1027, align 8
  switch i32 %1106, label %1423 [
    i32 0, label %1107
    i32 1, label %1362
  ]

1107:                                             ; preds = %1105
  call void @llvm.lifetime.start.p0(ptr nonnull %14) #20
  br label %1127

1108:                                             ; preds = %1127
  br i1 %1028, label %1109, label %1110

1109:                                             ; preds = %1134, %1108
  br label %1354

1110:                                             ; preds = %1108
  %1111 = load <16 x float>, ptr %14, align 64
  %1112 = load <16 x float>, ptr %1033, align 64
  %1113 = load <16 x float>, ptr %1035, align 64
  %1114 = load <16 x float>, ptr %1037, align 64
  %1115 = load <16 x float>, ptr %1039, align 64
  %1116 = load <16 x float>, ptr %1041, align 64
  %1117 = load <16 x float>, ptr %1043, align 64
  %1118 = load <16 x float>, ptr %1045, align 64
  %1119 = load <16 x float>, ptr %1047, align 64
  %1120 = load <16 x float>, ptr %1049, align 64
  %1121 = load <16 x float>, ptr %1051, align 64
  %1122 = load <16 x float>, ptr %1053, align 64
  %1123 = load <16 x float>, ptr %1055, align 64
  %1124 = load <16 x float>, ptr %1057, align 64
  %1125 = load <16 x float>, ptr %1059, align 64
  %1126 = load <16 x float>, ptr %1061, align 64
  br label %1135

1127:                                             ; preds = %1107, %1127
  %1128 = phi i64 [ 0, %1107 ], [ %1132, %1127 ]
  %1129 = getelementptr inbounds nuw <16 x float>, ptr %18, i64 %1128
  %1130 = load <16 x float>, ptr %1129, align 64
  %1131 = getelementptr inbounds nuw <16 x float>, ptr %14, i64 %1128
  store <16 x float> %1130, ptr %1131, align 64
  %1132 = add nuw nsw i64 %1128, 1
  %1133 = icmp eq i64 %1132, 16
  br i1 %1133, label %1108, label %1127, !llvm.loop !140

1134:                                             ; preds = %1335
  store <16 x float> %1350, ptr %14, align 1
  store <16 x float> %1349, ptr %1034, align 1
  store <16 x float> %1348, ptr %1036, align 1
  store <16 x float> %1347, ptr %1038, align 1
  store <16 x float> %1346, ptr %1040, align 1
  store <16 x float> %1345, ptr %1042, align 1
  store <16 x float> %1344, ptr %1044, align 1
  store <16 x float> %1343, ptr %1046, align 1
  store <16 x float> %1342, ptr %1048, align 1
  store <16 x float> %1341, ptr %1050, align 1
  store <16 x float> %1340, ptr %1052, align 1
  store <16 x float> %1339, ptr %1054, align 1
  store <16 x float> %1338, ptr %1056, align 1
  store <16 x float> %1337, ptr %1058, align 1
  store <16 x float> %1336, ptr %1060, align 1
  store <16 x float> %1351, ptr %1061, align 64
  br label %1109

1135:                                             ; preds = %1110, %1335
  %1136 = phi <16 x float> [ %1126, %1110 ], [ %1351, %1335 ]
  %1137 = phi <16 x float> [ %1125, %1110 ], [ %1336, %1335 ]
  %1138 = phi <16 x float> [ %1124, %1110 ], [ %1337, %1335 ]
  %1139 = phi <16 x float> [ %1123, %1110 ], [ %1338, %1335 ]
  %1140 = phi <16 x float> [ %1122, %1110 ], [ %1339, %1335 ]
  %1141 = phi <16 x float> [ %1121, %1110 ], [ %1340, %1335 ]
  %1142 = phi <16 x float> [ %1120, %1110 ], [ %1341, %1335 ]
  %1143 = phi <16 x float> [ %1119, %1110 ], [ %1342, %1335 ]
  %1144 = phi <16 x float> [ %1118, %1110 ], [ %1343, %1335 ]
  %1145 = phi <16 x float> [ %1117, %1110 ], [ %1344, %1335 ]
  %1146 = phi <16 x float> [ %1116, %1110 ], [ %1345, %1335 ]
  %1147 = phi <16 x float> [ %1115, %1110 ], [ %1346, %1335 ]
  %1148 = phi <16 x float> [ %1114, %1110 ], [ %1347, %1335 ]
  %1149 = phi <16 x float> [ %1113, %1110 ], [ %1348, %1335 ]
  %1150 = phi <16 x float> [ %1112, %1110 ], [ %1349, %1335 ]
  %1151 = phi <16 x float> [ %1111, %1110 ], [ %1350, %1335 ]
  %1152 = phi i64 [ 0, %1110 ], [ %1352, %1335 ]
  %1153 = trunc nuw i64 %1152 to i32
  %1154 = mul i32 %563, %1153
  %1155 = add i32 %1154, %1070
  %1156 = zext i32 %1155 to i64
  %1157 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %1156
  %1158 = load <16 x float>, ptr %1157, align 64
  %1159 = add i32 %1154, %1067
  %1160 = zext i32 %1159 to i64
  %1161 = getelementptr inbounds nuw <16 x float>, ptr @At, i64 %1160
  %1162 = load float, ptr %1161, align 64
  %1163 = insertelement <16 x float> poison, float %1162, i64 0
  %1164 = shufflevector <16 x float> %1163, <16 x float> poison, <16 x i32> zeroinitializer
  br i1 %1031, label %1242, label %1165

1165:                                             ; preds = %1135
  %1166 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1164, <16 x float> %1158, <16 x float> %1151)
  %1167 = getelementptr inbounds nuw i8, ptr %1161, i64 4
  %1168 = load float, ptr %1167, align 4
  %1169 = insertelement <16 x float> poison, float %1168, i64 0
  %1170 = shufflevector <16 x float> %1169, <16 x float> poison, <16 x i32> zeroinitializer
  %1171 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1170, <16 x float> %1158, <16 x float> %1150)
  %1172 = getelementptr inbounds nuw i8, ptr %1161, i64 8
  %1173 = load float, ptr %1172, align 8
  %1174 = insertelement <16 x float> poison, float %1173, i64 0
  %1175 = shufflevector <16 x float> %1174, <16 x float> poison, <16 x i32> zeroinitializer
  %1176 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1175, <16 x float> %1158, <16 x float> %1149)
  %1177 = getelementptr inbounds nuw i8, ptr %1161, i64 12
  %1178 = load float, ptr %1177, align 4
  %1179 = insertelement <16 x float> poison, float %1178, i64 0
  %1180 = shufflevector <16 x float> %1179, <16 x float> poison, <16 x i32> zeroinitializer
  %1181 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1180, <16 x float> %1158, <16 x float> %1148)
  %1182 = getelementptr inbounds nuw i8, ptr %1161, i64 16
  %1183 = load float, ptr %1182, align 16
  %1184 = insertelement <16 x float> poison, float %1183, i64 0
  %1185 = shufflevector <16 x float> %1184, <16 x float> poison, <16 x i32> zeroinitializer
  %1186 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1185, <16 x float> %1158, <16 x float> %1147)
  %1187 = getelementptr inbounds nuw i8, ptr %1161, i64 20
  %1188 = load float, ptr %1187, align 4
  %1189 = insertelement <16 x float> poison, float %1188, i64 0
  %1190 = shufflevector <16 x float> %1189, <16 x float> poison, <16 x i32> zeroinitializer
  %1191 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1190, <16 x float> %1158, <16 x float> %1146)
  %1192 = getelementptr inbounds nuw i8, ptr %1161, i64 24
  %1193 = load float, ptr %1192, align 8
  %1194 = insertelement <16 x float> poison, float %1193, i64 0
  %1195 = shufflevector <16 x float> %1194, <16 x float> poison, <16 x i32> zeroinitializer
  %1196 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1195, <16 x float> %1158, <16 x float> %1145)
  %1197 = getelementptr inbounds nuw i8, ptr %1161, i64 28
  %1198 = load float, ptr %1197, align 4
  %1199 = insertelement <16 x float> poison, float %1198, i64 0
  %1200 = shufflevector <16 x float> %1199, <16 x float> poison, <16 x i32> zeroinitializer
  %1201 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1200, <16 x float> %1158, <16 x float> %1144)
  %1202 = getelementptr inbounds nuw i8, ptr %1161, i64 32
  %1203 = load float, ptr %1202, align 32
  %1204 = insertelement <16 x float> poison, float %1203, i64 0
  %1205 = shufflevector <16 x float> %1204, <16 x float> poison, <16 x i32> zeroinitializer
  %1206 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1205, <16 x float> %1158, <16 x float> %1143)
  %1207 = getelementptr inbounds nuw i8, ptr %1161, i64 36
  %1208 = load float, ptr %1207, align 4
  %1209 = insertelement <16 x float> poison, float %1208, i64 0
  %1210 = shufflevector <16 x float> %1209, <16 x float> poison, <16 x i32> zeroinitializer
  %1211 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1210, <16 x float> %1158, <16 x float> %1142)
  %1212 = getelementptr inbounds nuw i8, ptr %1161, i64 40
  %1213 = load float, ptr %1212, align 8
  %1214 = insertelement <16 x float> poison, float %1213, i64 0
  %1215 = shufflevector <16 x float> %1214, <16 x float> poison, <16 x i32> zeroinitializer
  %1216 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1215, <16 x float> %1158, <16 x float> %1141)
  %1217 = getelementptr inbounds nuw i8, ptr %1161, i64 44
  %1218 = load float, ptr %1217, align 4
  %1219 = insertelement <16 x float> poison, float %1218, i64 0
  %1220 = shufflevector <16 x float> %1219, <16 x float> poison, <16 x i32> zeroinitializer
  %1221 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1220, <16 x float> %1158, <16 x float> %1140)
  %1222 = getelementptr inbounds nuw i8, ptr %1161, i64 48
  %1223 = load float, ptr %1222, align 16
  %1224 = insertelement <16 x float> poison, float %1223, i64 0
  %1225 = shufflevector <16 x float> %1224, <16 x float> poison, <16 x i32> zeroinitializer
  %1226 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1225, <16 x float> %1158, <16 x float> %1139)
  %1227 = getelementptr inbounds nuw i8, ptr %1161, i64 52
  %1228 = load float, ptr %1227, align 4
  %1229 = insertelement <16 x float> poison, float %1228, i64 0
  %1230 = shufflevector <16 x float> %1229, <16 x float> poison, <16 x i32> zeroinitializer
  %1231 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1230, <16 x float> %1158, <16 x float> %1138)
  %1232 = getelementptr inbounds nuw i8, ptr %1161, i64 56
  %1233 = load float, ptr %1232, align 8
  %1234 = insertelement <16 x float> poison, float %1233, i64 0
  %1235 = shufflevector <16 x float> %1234, <16 x float> poison, <16 x i32> zeroinitializer
  %1236 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1235, <16 x float> %1158, <16 x float> %1137)
  %1237 = getelementptr inbounds nuw i8, ptr %1161, i64 60
  %1238 = load float, ptr %1237, align 4
  %1239 = insertelement <16 x float> poison, float %1238, i64 0
  %1240 = shufflevector <16 x float> %1239, <16 x float> poison, <16 x i32> zeroinitializer
  %1241 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %1240, <16 x float> %1158, <16 x float> %1136)
  br label %1335

1242:                                             ; preds = %1135
  %1243 = fmul <16 x float> %1158, %1164
  %1244 = fadd <16 x float> %1243, %1151
  %1245 = getelementptr inbounds nuw i8, ptr %1161, i64 4
  %1246 = load float, ptr %1245, align 4
  %1247 = insertelement <16 x float> poison, float %1246, i64 0
  %1248 = shufflevector <16 x float> %1247, <16 x float> poison, <16 x i32> zeroinitializer
  %1249 = fmul <16 x float> %1158, %1248
  %1250 = fadd <16 x float> %1249, %1150
  %1251 = getelementptr inbounds nuw i8, ptr %1161, i64 8
  %1252 = load float, ptr %1251, align 8
  %1253 = insertelement <16 x float> poison, float %1252, i64 0
  %1254 = shufflevector <16 x float> %1253, <16 x float> poison, <16 x i32> zeroinitializer
  %1255 = fmul <16 x float> %1158, %1254
  %1256 = fadd <16 x float> %1255, %1149
  %1257 = getelementptr inbounds nuw i8, ptr %1161, i64 12
  %1258 = load float, ptr %1257, align 4
  %1259 = insertelement <16 x float> poison, float %1258, i64 0
  %1260 = shufflevector <16 x float> %1259, <16 x float> poison, <16 x i32> zeroinitializer
  %1261 = fmul <16 x float> %1158, %1260
  %1262 = fadd <16 x float> %1261, %1148
  %1263 = getelementptr inbounds nuw i8, ptr %1161, i64 16
  %1264 = load float, ptr %1263, align 16
  %1265 = insertelement <16 x float> poison, float %1264, i64 0
  %1266 = shufflevector <16 x float> %1265, <16 x float> poison, <16 x i32> zeroinitializer
  %1267 = fmul <16 x float> %1158, %1266
  %1268 = fadd <16 x float> %1267, %1147
  %1269 = getelementptr inbounds nuw i8, ptr %1161, i64 20
  %1270 = load float, ptr %1269, align 4
  %1271 = insertelement <16 x float> poison, float %1270, i64 0
  %1272 = shufflevector <16 x float> %1271, <16 x float> poison, <16 x i32> zeroinitializer
  %1273 = fmul <16 x float> %1158, %1272
  %1274 = fadd <16 x float> %1273, %1146
  %1275 = getelementptr inbounds nuw i8, ptr %1161, i64 24
  %1276 = load float, ptr %1275, align 8
  %1277 = insertelement <16 x float> poison, float %1276, i64 0
  %1278 = shufflevector <16 x float> %1277, <16 x float> poison, <16 x i32> zeroinitializer
  %1279 = fmul <16 x float> %1158, %1278
  %1280 = fadd <16 x float> %1279, %1145
  %1281 = getelementptr inbounds nuw i8, ptr %1161, i64 28
  %1282 = load float, ptr %1281, align 4
  %1283 = insertelement <16 x float> poison, float %1282, i64 0
  %1284 = shufflevector <16 x float> %1283, <16 x float> poison, <16 x i32> zeroinitializer
  %1285 = fmul <16 x float> %1158, %1284
  %1286 = fadd <16 x float> %1285, %1144
  %1287 = getelementptr inbounds nuw i8, ptr %1161, i64 32
  %1288 = load float, ptr %1287, align 32
  %1289 = insertelement <16 x float> poison, float %1288, i64 0
  %1290 = shufflevector <16 x float> %1289, <16 x float> poison, <16 x i32> zeroinitializer
  %1291 = fmul <16 x float> %1158, %1290
  %1292 = fadd <16 x float> %1291, %1143
  %1293 = getelementptr inbounds nuw i8, ptr %1161, i64 36
  %1294 = load float, ptr %1293, align 4
  %1295 = insertelement <16 x float> poison, float %1294, i64 0
  %1296 = shufflevector <16 x float> %1295, <16 x float> poison, <16 x i32> zeroinitializer
  %1297 = fmul <16 x float> %1158, %1296
  %1298 = fadd <16 x float> %1297, %1142
  %1299 = getelementptr inbounds nuw i8, ptr %1161, i64 40
  %1300 = load float, ptr %1299, align 8
  %1301 = insertelement <16 x float> poison, float %1300, i64 0
  %1302 = shufflevector <16 x float> %1301, <16 x float> poison, <16 x i32> zeroinitializer
  %1303 = fmul <16 x float> %1158, %1302
  %1304 = fadd <16 x float> %1303, %1141
  %1305 = getelementptr inbounds nuw i8, ptr %1161, i64 44
  %1306 = load float, ptr %1305, align 4
  %1307 = insertelement <16 x float> poison, float %1306, i64 0
  %1308 = shufflevector <16 x float> %1307, <16 x float> poison, <16 x i32> zeroinitializer
  %1309 = fmul <16 x float> %1158, %1308
  %1310 = fadd <16 x float> %1309, %1140
  %1311 = getelementptr inbounds nuw i8, ptr %1161, i64 48
  %1312 = load float, ptr %1311, align 16
  %1313 = insertelement <16 x float> poison, float %1312, i64 0
  %1314 = shufflevector <16 x float> %1313, <16 x float> poison, <16 x i32> zeroinitializer
  %1315 = fmul <16 x float> %1158, %1314
  %1316 = fadd <16 x float> %1315, %1139
  %1317 = getelementptr inbounds nuw i8, ptr %1161, i64 52
  %1318 = load float, ptr %1317, align 4
  %1319 = insertelement <16 x float> poison, float %1318, i64 0
  %1320 = shufflevector <16 x float> %1319, <16 x float> poison, <16 x i32> zeroinitializer
  %1321 = fmul <16 x float> %1158, %1320
  %1322 = fadd <16 x float> %1321, %1138
  %1323 = getelementptr inbounds nuw i8, ptr %1161, i64 56
  %1324 = load float, ptr %1323, align 8
  %1325 = insertelement <16 x float> poison, float %1324, i64 0
  %1326 = shufflevector <16 x float> %1325, <16 x float> poison, <16 x i32> zeroinitializer
  %1327 = fmul <16 x float> %1158, %1326
  %1328 = fadd <16 x float> %1327, %1137
  %1329 = getelementptr inbounds nuw i8, ptr %1161, i64 60
  %1330 = load float, ptr %1329, align 4
  %1331 = insertelement <16 x float> poison, float %1330, i64 0
  %1332 = shufflevector <16 x float> %1331, <16 x float> poison, <16 x i32> zeroinitializer
  %1333 = fmul <16 x float> %1158, %1332
  %1334 = fadd <16 x float> %1333, %1136
  br label %1335

1335:                                             ; preds = %1242, %1165
  %1336 = phi <16 x float> [ %1236, %1165 ], [ %1328, %1242 ]
  %1337 = phi <16 x float> [ %1231, %1165 ], [ %1322, %1242 ]
  %1338 = phi <16 x float> [ %1226, %1165 ], [ %1316, %1242 ]
  %1339 = phi <16 x float> [ %1221, %1165 ], [ %1310, %1242 ]
  %1340 = phi <16 x float> [ %1216, %1165 ], [ %1304, %1242 ]
  %1341 = phi <16 x float> [ %1211, %1165 ], [ %1298, %1242 ]
  %1342 = phi <16 x float> [ %1206, %1165 ], [ %1292, %1242 ]
  %1343 = phi <16 x float> [ %1201, %1165 ], [ %1286, %1242 ]
  %1344 = phi <16 x float> [ %1196, %1165 ], [ %1280, %1242 ]
  %1345 = phi <16 x float> [ %1191, %1165 ], [ %1274, %1242 ]
  %1346 = phi <16 x float> [ %1186, %1165 ], [ %1268, %1242 ]
  %1347 = phi <16 x float> [ %1181, %1165 ], [ %1262, %1242 ]
  %1348 = phi <16 x float> [ %1176, %1165 ], [ %1256, %1242 ]
  %1349 = phi <16 x float> [ %1171, %1165 ], [ %1250, %1242 ]
  %1350 = phi <16 x float> [ %1166, %1165 ], [ %1244, %1242 ]
  %1351 = phi <16 x float> [ %1241, %1165 ], [ %1334, %1242 ]
  %1352 = add nuw nsw i64 %1152, 1
  %1353 = icmp eq i64 %1352, %1030
  br i1 %1353, label %1134, label %1135, !llvm.loop !141

1354:                                             ; preds = %1109, %1354
  %1355 = phi i64 [ %1359, %1354 ], [ 0, %1109 ]
  %1356 = getelementptr inbounds nuw <16 x float>, ptr %14, i64 %1355
  %1357 = load <16 x float>, ptr %1356, align 64
  %1358 = getelementptr inbounds nuw <16 x float>, ptr %18, i64 %1355
  store <16 x float> %1357, ptr %1358, align 64
  %1359 = add nuw nsw i64 %1355, 1
  %1360 = icmp eq i64 %1359, 16
  br i1 %1360, label %1361, label %1354, !llvm.loop !142

1361:                                             ; preds = %1354
  call void @llvm.lifetime.end.p0(ptr nonnull %14) #20
  br label %1104

1362:                                             ; preds = %1105, %1397
  %1363 = phi i64 [ %1402, %1397 ], [ 0, %1105 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %11) #20
  br i1 %1028, label %1397, label %1364

1364:                                             ; preds = %1362
  %1365 = getelementptr inbounds nuw float, ptr @At, i64 %1363
  br label %1367

1366:                                             ; preds = %1367
  br i1 %1029, label %1385, label %1397

1367:                                             ; preds = %1367, %1364
  %1368 = phi i64 [ 0, %1364 ], [ %1383, %1367 ]
  %1369 = trunc nuw i64 %1368 to i32
  %1370 = mul i32 %563, %1369
  %1371 = add i32 %1370, %1066
  %1372 = zext i32 %1371 to i64
  %1373 = getelementptr inbounds nuw <16 x float>, ptr %1365, i64 %1372
  %1374 = load float, ptr %1373, align 4
  %1375 = insertelement <16 x float> poison, float %1374, i64 0
  %1376 = shufflevector <16 x float> %1375, <16 x float> poison, <16 x i32> zeroinitializer
  %1377 = add i32 %1370, %1070
  %1378 = zext i32 %1377 to i64
  %1379 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %1378
  %1380 = load <16 x float>, ptr %1379, align 64
  %1381 = fmul <16 x float> %1380, %1376
  %1382 = getelementptr inbounds nuw <16 x float>, ptr %11, i64 %1368
  store <16 x float> %1381, ptr %1382, align 64
  %1383 = add nuw nsw i64 %1368, 1
  %1384 = icmp eq i64 %1383, %1030
  br i1 %1384, label %1366, label %1367, !llvm.loop !143

1385:                                             ; preds = %1366, %1404
  %1386 = phi i32 [ %1406, %1404 ], [ %2, %1366 ]
  %1387 = lshr i32 %1386, 1
  %1388 = icmp eq i32 %1387, 0
  br i1 %1388, label %1404, label %1389

1389:                                             ; preds = %1385
  %1390 = and i32 %1386, 1
  %1391 = icmp eq i32 %1390, 0
  %1392 = add nsw i32 %1386, -1
  %1393 = zext i32 %1392 to i64
  %1394 = getelementptr inbounds nuw <16 x float>, ptr %11, i64 %1393
  %1395 = zext nneg i32 %1387 to i64
  %1396 = getelementptr inbounds nuw <16 x float>, ptr %11, i64 %1395
  br label %1408

1397:                                             ; preds = %1404, %1366, %1362
  %1398 = getelementptr inbounds nuw <16 x float>, ptr %18, i64 %1363
  %1399 = load <16 x float>, ptr %1398, align 64
  %1400 = load <16 x float>, ptr %11, align 64
  %1401 = fadd <16 x float> %1399, %1400
  store <16 x float> %1401, ptr %1398, align 64
  call void @llvm.lifetime.end.p0(ptr nonnull %11) #20
  %1402 = add nuw nsw i64 %1363, 1
  %1403 = icmp eq i64 %1402, 16
  br i1 %1403, label %1104, label %1362, !llvm.loop !144

1404:                                             ; preds = %1422, %1385
  %1405 = add i32 %1386, 1
  %1406 = lshr i32 %1405, 1
  %1407 = icmp ugt i32 %1405, 3
  br i1 %1407, label %1385, label %1397, !llvm.loop !145

1408:                                             ; preds = %1422, %1389
  %1409 = phi i64 [ 0, %1389 ], [ %1417, %1422 ]
  %1410 = shl nuw i64 %1409, 7
  %1411 = getelementptr inbounds nuw i8, ptr %11, i64 %1410
  %1412 = load <16 x float>, ptr %1411, align 64
  %1413 = getelementptr inbounds nuw i8, ptr %1411, i64 64
  %1414 = load <16 x float>, ptr %1413, align 64
  %1415 = fadd <16 x float> %1412, %1414
  %1416 = getelementptr inbounds nuw <16 x float>, ptr %11, i64 %1409
  store <16 x float> %1415, ptr %1416, align 64
  %1417 = add nuw nsw i64 %1409, 1
  %1418 = icmp ne i64 %1417, %1395
  %1419 = or i1 %1391, %1418
  br i1 %1419, label %1422, label %1420

1420:                                             ; preds = %1408
  %1421 = load <16 x float>, ptr %1394, align 64
  store <16 x float> %1421, ptr %1396, align 64
  br label %1422

1422:                                             ; preds = %1420, %1408
  br i1 %1418, label %1408, label %1404, !llvm.loop !146

1423:                                             ; preds = %1105, %1463
  %1424 = phi i64 [ %1464, %1463 ], [ 0, %1105 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %10) #20
  br label %1428

1425:                                             ; preds = %1428
  br i1 %1028, label %1433, label %1426

1426:                                             ; preds = %1425
  %1427 = getelementptr inbounds nuw float, ptr @At, i64 %1424
  br label %1436

1428:                                             ; preds = %1428, %1423
  %1429 = phi i64 [ 0, %1423 ], [ %1431, %1428 ]
  %1430 = getelementptr inbounds nuw double, ptr %10, i64 %1429
  store double 0.000000e+00, ptr %1430, align 8
  %1431 = add nuw nsw i64 %1429, 1
  %1432 = icmp eq i64 %1431, 16
  br i1 %1432, label %1425, label %1428, !llvm.loop !147

1433:                                             ; preds = %1449, %1425
  %1434 = getelementptr inbounds nuw <16 x float>, ptr %18, i64 %1424
  %1435 = load <16 x float>, ptr %1434, align 64
  br label %1466

1436:                                             ; preds = %1449, %1426
  %1437 = phi i64 [ 0, %1426 ], [ %1450, %1449 ]
  %1438 = trunc nuw i64 %1437 to i32
  %1439 = mul i32 %563, %1438
  %1440 = add i32 %1439, %1068
  %1441 = zext i32 %1440 to i64
  %1442 = getelementptr inbounds nuw <16 x float>, ptr %1427, i64 %1441
  %1443 = load float, ptr %1442, align 4
  %1444 = fpext float %1443 to double
  %1445 = add i32 %1439, %1070
  %1446 = zext i32 %1445 to i64
  %1447 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %1446
  %1448 = load <16 x float>, ptr %1447, align 64
  br label %1452

1449:                                             ; preds = %1452
  %1450 = add nuw nsw i64 %1437, 1
  %1451 = icmp eq i64 %1450, %1030
  br i1 %1451, label %1433, label %1436, !llvm.loop !148

1452:                                             ; preds = %1452, %1436
  %1453 = phi i64 [ 0, %1436 ], [ %1461, %1452 ]
  %1454 = trunc nuw nsw i64 %1453 to i32
  %1455 = extractelement <16 x float> %1448, i32 %1454
  %1456 = fpext float %1455 to double
  %1457 = fmul double %1444, %1456
  %1458 = getelementptr inbounds nuw double, ptr %10, i64 %1453
  %1459 = load double, ptr %1458, align 8
  %1460 = fadd double %1459, %1457
  store double %1460, ptr %1458, align 8
  %1461 = add nuw nsw i64 %1453, 1
  %1462 = icmp eq i64 %1461, 16
  br i1 %1462, label %1449, label %1452, !llvm.loop !149

1463:                                             ; preds = %1466
  store <16 x float> %1476, ptr %1434, align 64
  call void @llvm.lifetime.end.p0(ptr nonnull %10) #20
  %1464 = add nuw nsw i64 %1424, 1
  %1465 = icmp eq i64 %1464, 16
  br i1 %1465, label %1104, label %1423, !llvm.loop !150

1466:                                             ; preds = %1466, %1433
  %1467 = phi i64 [ 0, %1433 ], [ %1477, %1466 ]
  %1468 = phi <16 x float> [ %1435, %1433 ], [ %1476, %1466 ]
  %1469 = trunc nuw nsw i64 %1467 to i32
  %1470 = extractelement <16 x float> %1468, i32 %1469
  %1471 = fpext float %1470 to double
  %1472 = getelementptr inbounds nuw double, ptr %10, i64 %1467
  %1473 = load double, ptr %1472, align 8
  %1474 = fadd double %1473, %1471
  %1475 = fptrunc double %1474 to float
  %1476 = insertelement <16 x float> %1468, float %1475, i32 %1469
  %1477 = add nuw nsw i64 %1467, 1
  %1478 = icmp eq i64 %1477, 16
  br i1 %1478, label %1463, label %1466, !llvm.loop !151

1479:                                             ; preds = %1507
  %1480 = add nuw nsw i32 %1070, 1
  %1481 = icmp eq i32 %1480, %563
  br i1 %1481, label %1072, label %1069, !llvm.loop !157

1482:                                             ; preds = %1104, %1507
  %1483 = phi i64 [ %1514, %1507 ], [ 0, %1104 ]
  %1484 = add nuw nsw i64 %1483, %1064
  br i1 %33, label %1485, label %1487

1485:                                             ; preds = %1482
  %1486 = and i64 %1483, 3
  br label %1492

1487:                                             ; preds = %1482
  %1488 = lshr i64 %1484, 1
  %1489 = and i64 %1488, 2147483644
  %1490 = and i64 %1483, 3
  %1491 = or disjoint i64 %1489, %1490
  br label %1492

1492:                                             ; preds = %1487, %1485
  %1493 = phi i64 [ %1491, %1487 ], [ %1486, %1485 ]
  %1494 = trunc i64 %1483 to i32
  %1495 = trunc i64 %1484 to i32
  %1496 = lshr i32 %1495, 2
  %1497 = lshr i32 %1494, 2
  %1498 = and i32 %1497, 1
  %1499 = select i1 %33, i32 %1496, i32 %1498
  br i1 %570, label %1507, label %1500

1500:                                             ; preds = %1492
  %1501 = getelementptr inbounds nuw <16 x float>, ptr %18, i64 %1483
  %1502 = load <16 x i32>, ptr %1501, align 64
  %1503 = and <16 x i32> %1502, splat (i32 2139095040)
  %1504 = icmp eq <16 x i32> %1503, zeroinitializer
  %1505 = select <16 x i1> %1504, <16 x i32> splat (i32 -2147483648), <16 x i32> splat (i32 -1)
  %1506 = and <16 x i32> %1505, %1502
  store <16 x i32> %1506, ptr %1501, align 64
  br label %1507

1507:                                             ; preds = %1500, %1492
  %1508 = getelementptr inbounds nuw [64 x i32], ptr %571, i64 %1493
  %1509 = mul i32 %1499, %1
  %1510 = add i32 %1509, %1071
  %1511 = zext i32 %1510 to i64
  %1512 = getelementptr inbounds nuw i32, ptr %1508, i64 %1511
  %1513 = getelementptr inbounds nuw <16 x float>, ptr %18, i64 %1483
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(64) %1512, ptr noundef nonnull align 64 dereferenceable(64) %1513, i64 64, i1 false)
  %1514 = add nuw nsw i64 %1483, 1
  %1515 = icmp eq i64 %1514, 16
  br i1 %1515, label %1479, label %1482, !llvm.loop !152

1516:                                             ; preds = %1072, %1022
  call void @llvm.lifetime.end.p0(ptr nonnull %18) #20
  br label %1517

1517:                                             ; preds = %539, %1516, %118
  ret void
}

define void @kk3_math(ptr noundef readonly captures(none) %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %5 = load ptr, ptr %4, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %7 = load ptr, ptr %6, align 8
  %8 = icmp ult i32 %1, 5
  br i1 %8, label %9, label %14

9:                                                ; preds = %3
  %10 = getelementptr inbounds nuw i8, ptr %7, i64 212
  %11 = load i32, ptr %10, align 4
  %12 = icmp ne i32 %11, 0
  %13 = icmp eq i32 %1, 3
  br i1 %13, label %24, label %14

14:                                               ; preds = %3, %9
  %15 = phi i1 [ %12, %9 ], [ false, %3 ]
  %16 = icmp eq i32 %2, 0
  br i1 %16, label %318, label %17

17:                                               ; preds = %14
  %18 = getelementptr inbounds nuw i8, ptr %5, i64 768
  %19 = getelementptr inbounds nuw i8, ptr %5, i64 1024
  %20 = icmp eq i32 %1, 8
  %21 = icmp eq i32 %1, 9
  %22 = getelementptr inbounds nuw i8, ptr %7, i64 208
  %23 = zext i32 %2 to i64
  br label %135

24:                                               ; preds = %9
  %25 = icmp eq i32 %2, 0
  br i1 %25, label %318, label %26

26:                                               ; preds = %24
  %27 = getelementptr inbounds nuw i8, ptr %5, i64 768
  %28 = getelementptr inbounds nuw i8, ptr %7, i64 208
  %29 = zext i32 %2 to i64
  br label %30

30:                                               ; preds = %26, %131
  %31 = phi i64 [ 0, %26 ], [ %133, %131 ]
  %32 = getelementptr inbounds nuw i32, ptr %27, i64 %31
  %33 = load i32, ptr %32, align 4
  %34 = and i32 %33, 2139095040
  %35 = icmp eq i32 %34, 0
  %36 = and i1 %12, %35
  %37 = and i32 %33, -2147483648
  %38 = select i1 %36, i32 %37, i32 %33
  %39 = bitcast i32 %38 to float
  %40 = fpext float %39 to double
  %41 = fcmp uno float %39, 0.000000e+00
  br i1 %41, label %90, label %42

42:                                               ; preds = %30
  %43 = fcmp oeq float %39, 0x7FF0000000000000
  br i1 %43, label %90, label %44

44:                                               ; preds = %42
  %45 = fcmp olt float %39, -1.100000e+03
  %46 = fcmp ogt double %40, 1.100000e+03
  %47 = select i1 %46, double 1.100000e+03, double %40
  %48 = select i1 %45, double -1.100000e+03, double %47
  %49 = fadd double %48, 0x4338000000000000
  %50 = fadd double %49, 0xC338000000000000
  %51 = fsub double %48, %50
  %52 = fmul double %51, 0x3FE62E42FEFA39EF
  %53 = fmul double %52, 0x3DE6124613A86D09
  %54 = fadd double %53, 0x3E21EED8EFF8D898
  %55 = fmul double %52, %54
  %56 = fadd double %55, 0x3E5AE64567F544E4
  %57 = fmul double %52, %56
  %58 = fadd double %57, 0x3E927E4FB7789F5C
  %59 = fmul double %52, %58
  %60 = fadd double %59, 0x3EC71DE3A556C734
  %61 = fmul double %52, %60
  %62 = fadd double %61, 0x3EFA01A01A01A01A
  %63 = fmul double %52, %62
  %64 = fadd double %63, 0x3F2A01A01A01A01A
  %65 = fmul double %52, %64
  %66 = fadd double %65, 0x3F56C16C16C16C17
  %67 = fmul double %52, %66
  %68 = fadd double %67, 0x3F81111111111111
  %69 = fmul double %52, %68
  %70 = fadd double %69, 0x3FA5555555555555
  %71 = fmul double %52, %70
  %72 = fadd double %71, 0x3FC5555555555555
  %73 = fmul double %52, %72
  %74 = fadd double %73, 5.000000e-01
  %75 = fmul double %52, %74
  %76 = fadd double %75, 1.000000e+00
  %77 = fmul double %52, %76
  %78 = fadd double %77, 1.000000e+00
  %79 = fptosi double %50 to i64
  %80 = sdiv i64 %79, 2
  %81 = shl i64 %80, 52
  %82 = add i64 %81, 4607182418800017408
  %83 = bitcast i64 %82 to double
  %84 = fmul double %78, %83
  %85 = sub nsw i64 %79, %80
  %86 = shl i64 %85, 52
  %87 = add i64 %86, 4607182418800017408
  %88 = bitcast i64 %87 to double
  %89 = fmul double %84, %88
  br label %90

90:                                               ; preds = %30, %42, %44
  %91 = phi double [ %40, %30 ], [ 0x7FF0000000000000, %42 ], [ %89, %44 ]
  %92 = fptrunc double %91 to float
  %93 = load i32, ptr %28, align 8
  %94 = icmp eq i32 %93, 0
  %95 = fcmp uno float %92, 0.000000e+00
  %96 = or i1 %94, %95
  %97 = fsub float %92, %92
  %98 = fcmp une float %97, 0.000000e+00
  %99 = or i1 %96, %98
  br i1 %99, label %122, label %100

100:                                              ; preds = %90
  %101 = fpext float %92 to double
  %102 = fcmp oeq double %91, %101
  br i1 %102, label %122, label %103

103:                                              ; preds = %100
  %104 = bitcast float %92 to i32
  %105 = fcmp olt double %91, 0.000000e+00
  %106 = fneg double %91
  %107 = select i1 %105, double %106, double %91
  %108 = fcmp olt double %91, 0xB690000000000000
  %109 = fneg double %101
  %110 = select i1 %108, double %109, double %101
  %111 = icmp eq i32 %93, 1
  br i1 %111, label %112, label %117

112:                                              ; preds = %103
  %113 = fcmp ogt double %110, %107
  br i1 %113, label %114, label %122

114:                                              ; preds = %112
  %115 = add i32 %104, -1
  %116 = bitcast i32 %115 to float
  br label %122

117:                                              ; preds = %103
  %118 = fcmp olt double %110, %107
  br i1 %118, label %119, label %122

119:                                              ; preds = %117
  %120 = add i32 %104, 1
  %121 = bitcast i32 %120 to float
  br label %122

122:                                              ; preds = %90, %100, %112, %114, %117, %119
  %123 = phi float [ %92, %90 ], [ %92, %100 ], [ %92, %112 ], [ %116, %114 ], [ %121, %119 ], [ %92, %117 ]
  br i1 %12, label %124, label %131

124:                                              ; preds = %122
  %125 = bitcast float %123 to i32
  %126 = and i32 %125, 2139095040
  %127 = icmp eq i32 %126, 0
  br i1 %127, label %128, label %131

128:                                              ; preds = %124
  %129 = and i32 %125, -2147483648
  %130 = bitcast i32 %129 to float
  br label %131

131:                                              ; preds = %128, %124, %122
  %132 = phi float [ %123, %122 ], [ %130, %128 ], [ %123, %124 ]
  store float %132, ptr %32, align 4
  %133 = add nuw nsw i64 %31, 1
  %134 = icmp eq i64 %133, %29
  br i1 %134, label %318, label %30, !llvm.loop !158

135:                                              ; preds = %17, %314
  %136 = phi i64 [ 0, %17 ], [ %316, %314 ]
  %137 = getelementptr inbounds nuw i32, ptr %18, i64 %136
  %138 = load i32, ptr %137, align 4
  %139 = getelementptr inbounds nuw i32, ptr %19, i64 %136
  %140 = load float, ptr %139, align 4
  %141 = and i32 %138, 2139095040
  %142 = icmp eq i32 %141, 0
  %143 = select i1 %15, i1 %142, i1 false
  %144 = and i32 %138, -2147483648
  %145 = select i1 %143, i32 %144, i32 %138
  %146 = bitcast i32 %145 to float
  %147 = fpext float %146 to double
  %148 = fpext float %140 to double
  switch i32 %1, label %302 [
    i32 0, label %149
    i32 1, label %151
    i32 13, label %151
    i32 2, label %154
    i32 12, label %154
    i32 18, label %266
    i32 7, label %156
    i32 4, label %207
    i32 8, label %207
    i32 9, label %207
    i32 5, label %250
    i32 6, label %252
    i32 10, label %254
    i32 11, label %256
    i32 14, label %258
    i32 15, label %260
    i32 16, label %262
    i32 17, label %264
  ]

149:                                              ; preds = %135
  %150 = fdiv double 1.000000e+00, %147
  br label %270

151:                                              ; preds = %135, %135
  %152 = tail call double @llvm.sqrt.f64(double %147)
  %153 = fdiv double 1.000000e+00, %152
  br label %268

154:                                              ; preds = %135, %135
  %155 = tail call double @llvm.sqrt.f64(double %147)
  br label %268

156:                                              ; preds = %135
  %157 = fcmp uno float %146, 0.000000e+00
  br i1 %157, label %302, label %158

158:                                              ; preds = %156
  %159 = fcmp oeq float %146, 0x7FF0000000000000
  br i1 %159, label %302, label %160

160:                                              ; preds = %158
  %161 = fmul double %147, 0x3FF71547652B82FE
  %162 = fcmp olt double %161, -1.100000e+03
  %163 = fcmp ogt double %161, 1.100000e+03
  %164 = select i1 %163, double 1.100000e+03, double %161
  %165 = select i1 %162, double -1.100000e+03, double %164
  %166 = fadd double %165, 0x4338000000000000
  %167 = fadd double %166, 0xC338000000000000
  %168 = fsub double %165, %167
  %169 = fmul double %168, 0x3FE62E42FEFA39EF
  %170 = fmul double %169, 0x3DE6124613A86D09
  %171 = fadd double %170, 0x3E21EED8EFF8D898
  %172 = fmul double %169, %171
  %173 = fadd double %172, 0x3E5AE64567F544E4
  %174 = fmul double %169, %173
  %175 = fadd double %174, 0x3E927E4FB7789F5C
  %176 = fmul double %169, %175
  %177 = fadd double %176, 0x3EC71DE3A556C734
  %178 = fmul double %169, %177
  %179 = fadd double %178, 0x3EFA01A01A01A01A
  %180 = fmul double %169, %179
  %181 = fadd double %180, 0x3F2A01A01A01A01A
  %182 = fmul double %169, %181
  %183 = fadd double %182, 0x3F56C16C16C16C17
  %184 = fmul double %169, %183
  %185 = fadd double %184, 0x3F81111111111111
  %186 = fmul double %169, %185
  %187 = fadd double %186, 0x3FA5555555555555
  %188 = fmul double %169, %187
  %189 = fadd double %188, 0x3FC5555555555555
  %190 = fmul double %169, %189
  %191 = fadd double %190, 5.000000e-01
  %192 = fmul double %169, %191
  %193 = fadd double %192, 1.000000e+00
  %194 = fmul double %169, %193
  %195 = fadd double %194, 1.000000e+00
  %196 = fptosi double %167 to i64
  %197 = sdiv i64 %196, 2
  %198 = shl i64 %197, 52
  %199 = add i64 %198, 4607182418800017408
  %200 = bitcast i64 %199 to double
  %201 = fmul double %195, %200
  %202 = sub nsw i64 %196, %197
  %203 = shl i64 %202, 52
  %204 = add i64 %203, 4607182418800017408
  %205 = bitcast i64 %204 to double
  %206 = fmul double %201, %205
  br label %302

207:                                              ; preds = %135, %135, %135
  %208 = fcmp ult float %146, 0.000000e+00
  br i1 %208, label %243, label %209

209:                                              ; preds = %207
  %210 = fcmp oeq float %146, 0.000000e+00
  br i1 %210, label %243, label %211

211:                                              ; preds = %209
  %212 = fcmp oeq float %146, 0x7FF0000000000000
  br i1 %212, label %243, label %213

213:                                              ; preds = %211
  %214 = bitcast double %147 to i64
  %215 = and i64 %214, 4503599627370495
  %216 = or disjoint i64 %215, 4607182418800017408
  %217 = bitcast i64 %216 to double
  %218 = fcmp ogt double %217, 0x3FF6A09E667F3BCD
  %219 = fmul double %217, 5.000000e-01
  %220 = select i1 %218, double %219, double %217
  %221 = fadd double %220, -1.000000e+00
  %222 = fadd double %220, 1.000000e+00
  %223 = fdiv double %221, %222
  %224 = fmul double %223, %223
  br label %225

225:                                              ; preds = %225, %213
  %226 = phi i32 [ 25, %213 ], [ %232, %225 ]
  %227 = phi double [ 0.000000e+00, %213 ], [ %231, %225 ]
  %228 = fmul double %224, %227
  %229 = uitofp nneg i32 %226 to double
  %230 = fdiv double 1.000000e+00, %229
  %231 = fadd double %228, %230
  %232 = add nsw i32 %226, -2
  %233 = icmp samesign ugt i32 %226, 2
  br i1 %233, label %225, label %234, !llvm.loop !159

234:                                              ; preds = %225
  %235 = lshr i64 %214, 52
  %236 = select i1 %218, i64 -1022, i64 -1023
  %237 = add nsw i64 %236, %235
  %238 = sitofp i64 %237 to double
  %239 = fmul double %223, 2.000000e+00
  %240 = fmul double %239, %231
  %241 = fmul double %240, 0x3FF71547652B82FE
  %242 = fadd double %241, %238
  br label %243

243:                                              ; preds = %209, %234, %211, %207
  %244 = phi double [ %242, %234 ], [ 0x7FF0000000000000, %211 ], [ 0x7FF8000000000000, %207 ], [ 0xFFF0000000000000, %209 ]
  br i1 %20, label %245, label %247

245:                                              ; preds = %243
  %246 = fmul double %244, 0x3FE62E42FEFA39EF
  br label %302

247:                                              ; preds = %243
  %248 = fmul double %244, 0x3FD34413509F79FF
  %249 = select i1 %21, double %248, double %244
  br label %268

250:                                              ; preds = %135
  %251 = tail call double @sin(double noundef %147) #19
  br label %302

252:                                              ; preds = %135
  %253 = tail call double @cos(double noundef %147) #19
  br label %302

254:                                              ; preds = %135
  %255 = tail call double @tanh(double noundef %147) #19
  br label %302

256:                                              ; preds = %135
  %257 = tail call double @erf(double noundef %147) #19
  br label %302

258:                                              ; preds = %135
  %259 = tail call double @pow(double noundef %147, double noundef %148) #19
  br label %302

260:                                              ; preds = %135
  %261 = tail call double @log1p(double noundef %147) #19
  br label %302

262:                                              ; preds = %135
  %263 = tail call double @expm1(double noundef %147) #19
  br label %302

264:                                              ; preds = %135
  %265 = tail call double @atan(double noundef %147) #19
  br label %302

266:                                              ; preds = %135
  %267 = tail call double @atan2(double noundef %147, double noundef %148) #19
  br label %302

268:                                              ; preds = %151, %154, %247
  %269 = phi double [ %249, %247 ], [ %155, %154 ], [ %153, %151 ]
  br i1 %8, label %270, label %302

270:                                              ; preds = %149, %268
  %271 = phi double [ %269, %268 ], [ %150, %149 ]
  %272 = fptrunc double %271 to float
  %273 = load i32, ptr %22, align 8
  %274 = icmp eq i32 %273, 0
  %275 = fcmp uno float %272, 0.000000e+00
  %276 = or i1 %274, %275
  %277 = fsub float %272, %272
  %278 = fcmp une float %277, 0.000000e+00
  %279 = or i1 %276, %278
  br i1 %279, label %305, label %280

280:                                              ; preds = %270
  %281 = fpext float %272 to double
  %282 = fcmp oeq double %271, %281
  br i1 %282, label %305, label %283

283:                                              ; preds = %280
  %284 = bitcast float %272 to i32
  %285 = fcmp olt double %271, 0.000000e+00
  %286 = fneg double %271
  %287 = select i1 %285, double %286, double %271
  %288 = fcmp olt double %271, 0xB690000000000000
  %289 = fneg double %281
  %290 = select i1 %288, double %289, double %281
  %291 = icmp eq i32 %273, 1
  br i1 %291, label %292, label %297

292:                                              ; preds = %283
  %293 = fcmp ogt double %290, %287
  br i1 %293, label %294, label %305

294:                                              ; preds = %292
  %295 = add i32 %284, -1
  %296 = bitcast i32 %295 to float
  br label %305

297:                                              ; preds = %283
  %298 = fcmp olt double %290, %287
  br i1 %298, label %299, label %305

299:                                              ; preds = %297
  %300 = add i32 %284, 1
  %301 = bitcast i32 %300 to float
  br label %305

302:                                              ; preds = %266, %264, %262, %260, %258, %256, %254, %252, %250, %245, %160, %158, %156, %135, %268
  %303 = phi double [ %269, %268 ], [ %147, %135 ], [ %246, %245 ], [ %147, %156 ], [ %206, %160 ], [ %265, %264 ], [ %263, %262 ], [ %261, %260 ], [ %259, %258 ], [ %257, %256 ], [ %255, %254 ], [ %253, %252 ], [ %251, %250 ], [ 0x7FF0000000000000, %158 ], [ %267, %266 ]
  %304 = fptrunc double %303 to float
  br label %305

305:                                              ; preds = %299, %297, %294, %292, %280, %270, %302
  %306 = phi float [ %304, %302 ], [ %272, %270 ], [ %272, %280 ], [ %272, %292 ], [ %296, %294 ], [ %301, %299 ], [ %272, %297 ]
  br i1 %15, label %307, label %314

307:                                              ; preds = %305
  %308 = bitcast float %306 to i32
  %309 = and i32 %308, 2139095040
  %310 = icmp eq i32 %309, 0
  br i1 %310, label %311, label %314

311:                                              ; preds = %307
  %312 = and i32 %308, -2147483648
  %313 = bitcast i32 %312 to float
  br label %314

314:                                              ; preds = %311, %307, %305
  %315 = phi float [ %306, %305 ], [ %313, %311 ], [ %306, %307 ]
  store float %315, ptr %137, align 4
  %316 = add nuw nsw i64 %136, 1
  %317 = icmp eq i64 %316, %23
  br i1 %317, label %318, label %135, !llvm.loop !160

318:                                              ; preds = %314, %131, %14, %24
  ret void
}

define void @kk3_permute(ptr noundef readonly captures(none) %0, i64 noundef %1) local_unnamed_addr #10 {
  %3 = alloca [64 x i32], align 16
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %5 = load ptr, ptr %4, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #20
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 1024
  br label %9

7:                                                ; preds = %17
  %8 = getelementptr inbounds nuw i8, ptr %5, i64 768
  br label %23

9:                                                ; preds = %2, %17
  %10 = phi i64 [ 0, %2 ], [ %20, %17 ]
  %11 = shl nuw i64 1, %10
  %12 = and i64 %11, %1
  %13 = icmp eq i64 %12, 0
  br i1 %13, label %17, label %14

14:                                               ; preds = %9
  %15 = getelementptr inbounds nuw i32, ptr %6, i64 %10
  %16 = load i32, ptr %15, align 4
  br label %17

17:                                               ; preds = %9, %14
  %18 = phi i32 [ %16, %14 ], [ 0, %9 ]
  %19 = getelementptr inbounds nuw i32, ptr %3, i64 %10
  store i32 %18, ptr %19, align 4
  %20 = add nuw nsw i64 %10, 1
  %21 = icmp eq i64 %20, 64
  br i1 %21, label %7, label %9, !llvm.loop !161

22:                                               ; preds = %23
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #20
  ret void

23:                                               ; preds = %7, %23
  %24 = phi i64 [ 0, %7 ], [ %33, %23 ]
  %25 = getelementptr inbounds nuw i32, ptr %5, i64 %24
  %26 = load i32, ptr %25, align 4
  %27 = lshr i32 %26, 2
  %28 = and i32 %27, 63
  %29 = zext nneg i32 %28 to i64
  %30 = getelementptr inbounds nuw i32, ptr %3, i64 %29
  %31 = load i32, ptr %30, align 4
  %32 = getelementptr inbounds nuw i32, ptr %8, i64 %24
  store i32 %31, ptr %32, align 4
  %33 = add nuw nsw i64 %24, 1
  %34 = icmp eq i64 %33, 64
  br i1 %34, label %22, label %23, !llvm.loop !162
}

define void @kk3_permute_push(ptr noundef readonly captures(none) %0, i64 noundef %1) local_unnamed_addr #10 {
  %3 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %4 = load ptr, ptr %3, align 8
  %5 = getelementptr inbounds nuw i8, ptr %4, i64 768
  br label %10

6:                                                ; preds = %10
  %7 = icmp eq i64 %1, 0
  br i1 %7, label %15, label %8

8:                                                ; preds = %6
  %9 = getelementptr inbounds nuw i8, ptr %4, i64 1024
  br label %16

10:                                               ; preds = %2, %10
  %11 = phi i64 [ 0, %2 ], [ %13, %10 ]
  %12 = getelementptr inbounds nuw i32, ptr %5, i64 %11
  store i32 0, ptr %12, align 4
  %13 = add nuw nsw i64 %11, 1
  %14 = icmp eq i64 %13, 64
  br i1 %14, label %6, label %10, !llvm.loop !163

15:                                               ; preds = %16, %6
  ret void

16:                                               ; preds = %8, %16
  %17 = phi i64 [ %1, %8 ], [ %28, %16 ]
  %18 = tail call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %17, i1 true)
  %19 = getelementptr inbounds nuw i32, ptr %9, i64 %18
  %20 = load i32, ptr %19, align 4
  %21 = getelementptr inbounds nuw i32, ptr %4, i64 %18
  %22 = load i32, ptr %21, align 4
  %23 = lshr i32 %22, 2
  %24 = and i32 %23, 63
  %25 = zext nneg i32 %24 to i64
  %26 = getelementptr inbounds nuw i32, ptr %5, i64 %25
  store i32 %20, ptr %26, align 4
  %27 = add i64 %17, -1
  %28 = and i64 %27, %17
  %29 = icmp eq i64 %28, 0
  br i1 %29, label %15, label %16, !llvm.loop !164
}

define void @kk3_shuffle(ptr noundef readonly captures(none) %0, i32 noundef %1, i32 noundef %2) local_unnamed_addr #10 {
  %4 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %5 = load ptr, ptr %4, align 8
  %6 = sub i32 0, %2
  %7 = getelementptr inbounds nuw i8, ptr %5, i64 768
  %8 = getelementptr inbounds nuw i8, ptr %5, i64 1024
  %9 = getelementptr inbounds nuw i8, ptr %5, i64 1280
  br label %11

10:                                               ; preds = %25
  ret void

11:                                               ; preds = %3, %25
  %12 = phi i64 [ 0, %3 ], [ %38, %25 ]
  %13 = trunc nuw nsw i64 %12 to i32
  %14 = and i32 %13, %6
  %15 = getelementptr inbounds nuw i32, ptr %5, i64 %12
  %16 = load i32, ptr %15, align 4
  switch i32 %1, label %23 [
    i32 0, label %17
    i32 1, label %19
    i32 2, label %21
  ]

17:                                               ; preds = %11
  %18 = xor i32 %16, %13
  br label %25

19:                                               ; preds = %11
  %20 = sub i32 %13, %16
  br label %25

21:                                               ; preds = %11
  %22 = add i32 %16, %13
  br label %25

23:                                               ; preds = %11
  %24 = add i32 %16, %14
  br label %25

25:                                               ; preds = %19, %23, %21, %17
  %26 = phi i32 [ %18, %17 ], [ %20, %19 ], [ %22, %21 ], [ %24, %23 ]
  %27 = icmp uge i32 %26, %14
  %28 = add i32 %14, %2
  %29 = icmp ult i32 %26, %28
  %30 = and i1 %27, %29
  %31 = zext i1 %30 to i32
  %32 = select i1 %30, i32 %26, i32 %13
  %33 = zext i32 %32 to i64
  %34 = getelementptr inbounds nuw i32, ptr %8, i64 %33
  %35 = load i32, ptr %34, align 4
  %36 = getelementptr inbounds nuw i32, ptr %7, i64 %12
  store i32 %35, ptr %36, align 4
  %37 = getelementptr inbounds nuw i32, ptr %9, i64 %12
  store i32 %31, ptr %37, align 4
  %38 = add nuw nsw i64 %12, 1
  %39 = icmp eq i64 %38, 64
  br i1 %39, label %10, label %11, !llvm.loop !165
}

define internal fastcc void @check_load_scope(ptr noundef readonly captures(address_is_null) %0, ptr noundef nonnull readonly captures(none) %1, ptr noundef readonly captures(none) %2, i64 noundef %3, i32 noundef %4, i32 noundef %5, i32 noundef %6) unnamed_addr #0 {
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds nuw i8, ptr %9, i64 56
  %11 = load i32, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %2, i64 864
  %13 = load i32, ptr %12, align 8
  %14 = icmp eq i32 %11, %13
  br i1 %14, label %15, label %22

15:                                               ; preds = %7
  %16 = getelementptr inbounds nuw i8, ptr %9, i64 52
  %17 = load i32, ptr %16, align 4
  %18 = getelementptr inbounds nuw i8, ptr %2, i64 868
  %19 = load i32, ptr %18, align 4
  %20 = icmp ne i32 %17, %19
  %21 = zext i1 %20 to i32
  br label %22

22:                                               ; preds = %7, %15
  %23 = phi i32 [ %21, %15 ], [ 2, %7 ]
  %24 = load i32, ptr %1, align 4
  %25 = add i32 %24, 15
  %26 = and i32 %25, 15
  %27 = getelementptr inbounds nuw i8, ptr %1, i64 12
  %28 = load i32, ptr %27, align 4
  %29 = and i32 %28, 16
  %30 = icmp eq i32 %29, 0
  %31 = and i32 %28, 1
  %32 = add nuw nsw i32 %31, 1
  %33 = select i1 %30, i32 0, i32 %32
  %34 = icmp samesign ult i32 %33, %23
  br i1 %34, label %35, label %85

35:                                               ; preds = %22
  %36 = icmp eq i32 %23, 1
  br i1 %36, label %37, label %45

37:                                               ; preds = %35
  %38 = getelementptr inbounds nuw i8, ptr %2, i64 728
  %39 = zext nneg i32 %26 to i64
  %40 = getelementptr inbounds nuw i32, ptr %38, i64 %39
  %41 = load i32, ptr %40, align 4
  %42 = getelementptr inbounds nuw i8, ptr %1, i64 4
  %43 = load i32, ptr %42, align 4
  %44 = icmp ult i32 %41, %43
  br i1 %44, label %45, label %85

45:                                               ; preds = %37, %35
  %46 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %47 = load i32, ptr %46, align 4
  %48 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %49 = load i32, ptr %48, align 8
  %50 = shl i32 %49, 4
  %51 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %52 = load i32, ptr %51, align 8
  %53 = or i32 %50, %52
  %54 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %55 = load ptr, ptr %54, align 8
  %56 = tail call ptr @kk3_find(ptr noundef %55, ptr noundef nonnull readonly %0, i32 noundef 15, i32 noundef %47, i64 noundef %3, i32 noundef %6, i64 noundef 0) #18
  %57 = icmp ne ptr %56, null
  %58 = icmp ne i32 %53, -1
  %59 = and i1 %58, %57
  br i1 %59, label %60, label %85

60:                                               ; preds = %45
  %61 = load ptr, ptr @sans, align 8
  %62 = lshr i32 %53, 4
  %63 = zext nneg i32 %62 to i64
  %64 = getelementptr inbounds nuw ptr, ptr %61, i64 %63
  %65 = load ptr, ptr %64, align 8
  %66 = getelementptr inbounds nuw i8, ptr %56, i64 8
  store i32 %5, ptr %66, align 8
  %67 = getelementptr inbounds nuw i8, ptr %56, i64 32
  store i32 %62, ptr %67, align 8
  %68 = getelementptr inbounds nuw i8, ptr %65, i64 856
  %69 = load ptr, ptr %68, align 8
  %70 = getelementptr inbounds nuw i8, ptr %69, i64 64
  %71 = load i32, ptr %70, align 8
  %72 = getelementptr inbounds nuw i8, ptr %56, i64 16
  store i32 %71, ptr %72, align 8
  %73 = getelementptr inbounds nuw i8, ptr %65, i64 864
  %74 = load i32, ptr %73, align 8
  %75 = getelementptr inbounds nuw i8, ptr %56, i64 44
  store i32 %74, ptr %75, align 4
  %76 = getelementptr inbounds nuw i8, ptr %65, i64 872
  %77 = getelementptr inbounds nuw i8, ptr %56, i64 84
  br label %78

78:                                               ; preds = %78, %60
  %79 = phi i64 [ 0, %60 ], [ %83, %78 ]
  %80 = getelementptr inbounds nuw i32, ptr %76, i64 %79
  %81 = load i32, ptr %80, align 4
  %82 = getelementptr inbounds nuw i32, ptr %77, i64 %79
  store i32 %81, ptr %82, align 4
  %83 = add nuw nsw i64 %79, 1
  %84 = icmp eq i64 %83, 3
  br i1 %84, label %85, label %78, !llvm.loop !75

85:                                               ; preds = %78, %45, %37, %22
  %86 = and i32 %4, 16
  %87 = icmp eq i32 %86, 0
  %88 = and i32 %4, 1
  %89 = add nuw nsw i32 %88, 1
  %90 = select i1 %87, i32 0, i32 %89
  %91 = icmp samesign ult i32 %90, %23
  br i1 %91, label %92, label %190

92:                                               ; preds = %85
  %93 = load ptr, ptr @sans, align 8
  %94 = load ptr, ptr %8, align 8
  %95 = getelementptr inbounds nuw i8, ptr %94, i64 8
  %96 = load i32, ptr %95, align 8
  %97 = zext i32 %96 to i64
  %98 = getelementptr inbounds nuw ptr, ptr %93, i64 %97
  %99 = load ptr, ptr %98, align 8
  %100 = getelementptr inbounds nuw i8, ptr %99, i64 792
  %101 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %102 = load i32, ptr %101, align 8
  %103 = zext i32 %102 to i64
  %104 = getelementptr inbounds nuw i32, ptr %100, i64 %103
  %105 = load i32, ptr %104, align 4
  %106 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %107 = load i32, ptr %106, align 4
  %108 = icmp ugt i32 %105, %107
  br i1 %108, label %190, label %109

109:                                              ; preds = %92
  %110 = getelementptr inbounds nuw i8, ptr %0, i64 88
  %111 = lshr i64 %3, 36
  %112 = load ptr, ptr @lines, align 8
  %113 = getelementptr inbounds nuw ptr, ptr %112, i64 %111
  %114 = load ptr, ptr %113, align 8
  %115 = icmp eq ptr %114, null
  br i1 %115, label %116, label %126

116:                                              ; preds = %109
  %117 = load ptr, ptr %110, align 8
  %118 = load ptr, ptr %117, align 8
  %119 = getelementptr inbounds nuw %struct.Region, ptr %118, i64 %111
  %120 = load i64, ptr %119, align 8
  %121 = lshr i64 %120, 16
  %122 = add nuw nsw i64 %121, 1
  %123 = tail call ptr @calloc(i64 noundef %122, i64 noundef 8) #19
  %124 = load ptr, ptr @lines, align 8
  %125 = getelementptr inbounds nuw ptr, ptr %124, i64 %111
  store ptr %123, ptr %125, align 8
  br label %126

126:                                              ; preds = %116, %109
  %127 = phi ptr [ %123, %116 ], [ %114, %109 ]
  %128 = lshr i64 %3, 16
  %129 = and i64 %128, 1048575
  %130 = getelementptr inbounds nuw ptr, ptr %127, i64 %129
  %131 = load ptr, ptr %130, align 8
  %132 = icmp eq ptr %131, null
  br i1 %132, label %133, label %135

133:                                              ; preds = %126
  %134 = tail call ptr @calloc(i64 noundef 512, i64 noundef 16) #19
  store ptr %134, ptr %130, align 8
  br label %135

135:                                              ; preds = %126, %133
  %136 = phi ptr [ %134, %133 ], [ %131, %126 ]
  %137 = lshr i64 %3, 7
  %138 = and i64 %137, 511
  %139 = getelementptr inbounds nuw %struct.Line, ptr %136, i64 %138
  %140 = getelementptr inbounds nuw i8, ptr %139, i64 8
  %141 = load i64, ptr %140, align 8
  %142 = load ptr, ptr %8, align 8
  %143 = getelementptr inbounds nuw i8, ptr %142, i64 56
  %144 = load i32, ptr %143, align 8
  %145 = shl i32 %144, 3
  %146 = and i32 %145, 56
  %147 = getelementptr inbounds nuw i8, ptr %142, i64 52
  %148 = load i32, ptr %147, align 4
  %149 = and i32 %148, 7
  %150 = or disjoint i32 %146, %149
  %151 = zext nneg i32 %150 to i64
  %152 = shl nuw i64 1, %151
  %153 = and i64 %152, %141
  %154 = icmp eq i64 %153, 0
  %155 = select i1 %154, i32 14, i32 18
  %156 = load i32, ptr %1, align 4
  %157 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %158 = load i32, ptr %157, align 4
  %159 = load ptr, ptr %110, align 8
  %160 = tail call ptr @kk3_find(ptr noundef %159, ptr noundef nonnull readonly %0, i32 noundef range(i32 12, 19) %155, i32 noundef %5, i64 noundef %3, i32 noundef %6, i64 noundef 0) #18
  %161 = icmp ne ptr %160, null
  %162 = icmp ne i32 %156, 0
  %163 = and i1 %162, %161
  br i1 %163, label %164, label %190

164:                                              ; preds = %135
  %165 = load ptr, ptr @sans, align 8
  %166 = add i32 %156, -1
  %167 = lshr i32 %166, 4
  %168 = zext nneg i32 %167 to i64
  %169 = getelementptr inbounds nuw ptr, ptr %165, i64 %168
  %170 = load ptr, ptr %169, align 8
  %171 = getelementptr inbounds nuw i8, ptr %160, i64 8
  store i32 %158, ptr %171, align 8
  %172 = getelementptr inbounds nuw i8, ptr %160, i64 32
  store i32 %167, ptr %172, align 8
  %173 = getelementptr inbounds nuw i8, ptr %170, i64 856
  %174 = load ptr, ptr %173, align 8
  %175 = getelementptr inbounds nuw i8, ptr %174, i64 64
  %176 = load i32, ptr %175, align 8
  %177 = getelementptr inbounds nuw i8, ptr %160, i64 16
  store i32 %176, ptr %177, align 8
  %178 = getelementptr inbounds nuw i8, ptr %170, i64 864
  %179 = load i32, ptr %178, align 8
  %180 = getelementptr inbounds nuw i8, ptr %160, i64 44
  store i32 %179, ptr %180, align 4
  %181 = getelementptr inbounds nuw i8, ptr %170, i64 872
  %182 = getelementptr inbounds nuw i8, ptr %160, i64 84
  br label %183

183:                                              ; preds = %183, %164
  %184 = phi i64 [ 0, %164 ], [ %188, %183 ]
  %185 = getelementptr inbounds nuw i32, ptr %181, i64 %184
  %186 = load i32, ptr %185, align 4
  %187 = getelementptr inbounds nuw i32, ptr %182, i64 %184
  store i32 %186, ptr %187, align 4
  %188 = add nuw nsw i64 %184, 1
  %189 = icmp eq i64 %188, 3
  br i1 %189, label %190, label %183, !llvm.loop !75

190:                                              ; preds = %183, %135, %92, %85
  ret void
}

define internal fastcc range(i32 0, 3) i32 @knows(ptr noundef readonly captures(none) %0, i32 noundef range(i32 0, 268435456) %1, i32 noundef range(i32 0, 16) %2, i32 noundef %3) unnamed_addr #0 {
  %5 = load ptr, ptr @sans, align 8
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %7 = load ptr, ptr %6, align 8
  %8 = getelementptr inbounds nuw i8, ptr %7, i64 8
  %9 = load i32, ptr %8, align 8
  %10 = zext i32 %9 to i64
  %11 = getelementptr inbounds nuw ptr, ptr %5, i64 %10
  %12 = load ptr, ptr %11, align 8
  %13 = load i32, ptr %12, align 8
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %55, label %15

15:                                               ; preds = %4
  %16 = mul i32 %1, -1640531535
  %17 = add i32 %13, -1
  %18 = getelementptr inbounds nuw i8, ptr %12, i64 16
  %19 = load ptr, ptr %18, align 8
  %20 = and i32 %17, %16
  %21 = zext i32 %20 to i64
  %22 = getelementptr inbounds nuw ptr, ptr %19, i64 %21
  %23 = load ptr, ptr %22, align 8
  %24 = icmp eq ptr %23, null
  br i1 %24, label %55, label %25

25:                                               ; preds = %15
  %26 = getelementptr inbounds nuw i8, ptr %12, i64 8
  %27 = load ptr, ptr %26, align 8
  %28 = getelementptr inbounds nuw i32, ptr %27, i64 %21
  %29 = load i32, ptr %28, align 4
  %30 = icmp eq i32 %29, %1
  br i1 %30, label %43, label %31

31:                                               ; preds = %25, %39
  %32 = phi i32 [ %34, %39 ], [ %20, %25 ]
  %33 = add nuw i32 %32, 1
  %34 = and i32 %33, %17
  %35 = zext i32 %34 to i64
  %36 = getelementptr inbounds nuw ptr, ptr %19, i64 %35
  %37 = load ptr, ptr %36, align 8
  %38 = icmp eq ptr %37, null
  br i1 %38, label %55, label %39, !llvm.loop !100

39:                                               ; preds = %31
  %40 = getelementptr inbounds nuw i32, ptr %27, i64 %35
  %41 = load i32, ptr %40, align 4
  %42 = icmp eq i32 %41, %1
  br i1 %42, label %43, label %31, !llvm.loop !100

43:                                               ; preds = %39, %25
  %44 = phi ptr [ %23, %25 ], [ %37, %39 ]
  %45 = zext nneg i32 %2 to i64
  %46 = getelementptr inbounds nuw i32, ptr %44, i64 %45
  %47 = load i32, ptr %46, align 4
  %48 = icmp ult i32 %47, %3
  br i1 %48, label %49, label %55

49:                                               ; preds = %43
  %50 = getelementptr inbounds nuw i8, ptr %44, i64 64
  %51 = getelementptr inbounds nuw i32, ptr %50, i64 %45
  %52 = load i32, ptr %51, align 4
  %53 = icmp uge i32 %52, %3
  %54 = zext i1 %53 to i32
  br label %55

55:                                               ; preds = %31, %15, %4, %43, %49
  %56 = phi i32 [ 2, %43 ], [ %54, %49 ], [ 0, %4 ], [ 0, %15 ], [ 0, %31 ]
  %57 = getelementptr inbounds nuw i8, ptr %12, i64 24
  %58 = getelementptr inbounds nuw i8, ptr %0, i64 32
  %59 = load i32, ptr %58, align 8
  %60 = zext i32 %59 to i64
  %61 = getelementptr inbounds nuw %struct.Map, ptr %57, i64 %60
  %62 = load i32, ptr %61, align 8
  %63 = icmp eq i32 %62, 0
  br i1 %63, label %105, label %64

64:                                               ; preds = %55
  %65 = mul i32 %1, -1640531535
  %66 = add i32 %62, -1
  %67 = getelementptr inbounds nuw i8, ptr %61, i64 16
  %68 = load ptr, ptr %67, align 8
  %69 = and i32 %66, %65
  %70 = zext i32 %69 to i64
  %71 = getelementptr inbounds nuw ptr, ptr %68, i64 %70
  %72 = load ptr, ptr %71, align 8
  %73 = icmp eq ptr %72, null
  br i1 %73, label %105, label %74

74:                                               ; preds = %64
  %75 = getelementptr inbounds nuw i8, ptr %61, i64 8
  %76 = load ptr, ptr %75, align 8
  %77 = getelementptr inbounds nuw i32, ptr %76, i64 %70
  %78 = load i32, ptr %77, align 4
  %79 = icmp eq i32 %78, %1
  br i1 %79, label %92, label %80

80:                                               ; preds = %74, %88
  %81 = phi i32 [ %83, %88 ], [ %69, %74 ]
  %82 = add nuw i32 %81, 1
  %83 = and i32 %82, %66
  %84 = zext i32 %83 to i64
  %85 = getelementptr inbounds nuw ptr, ptr %68, i64 %84
  %86 = load ptr, ptr %85, align 8
  %87 = icmp eq ptr %86, null
  br i1 %87, label %105, label %88, !llvm.loop !100

88:                                               ; preds = %80
  %89 = getelementptr inbounds nuw i32, ptr %76, i64 %84
  %90 = load i32, ptr %89, align 4
  %91 = icmp eq i32 %90, %1
  br i1 %91, label %92, label %80, !llvm.loop !100

92:                                               ; preds = %88, %74
  %93 = phi ptr [ %72, %74 ], [ %86, %88 ]
  %94 = zext nneg i32 %2 to i64
  %95 = getelementptr inbounds nuw i32, ptr %93, i64 %94
  %96 = load i32, ptr %95, align 4
  %97 = icmp ult i32 %96, %3
  br i1 %97, label %98, label %172

98:                                               ; preds = %92
  %99 = getelementptr inbounds nuw i8, ptr %93, i64 64
  %100 = getelementptr inbounds nuw i32, ptr %99, i64 %94
  %101 = load i32, ptr %100, align 4
  %102 = icmp uge i32 %101, %3
  %103 = zext i1 %102 to i32
  %104 = tail call i32 @llvm.umax.i32(i32 %56, i32 %103)
  br label %105

105:                                              ; preds = %80, %64, %55, %98
  %106 = phi i32 [ %56, %64 ], [ %104, %98 ], [ %56, %55 ], [ %56, %80 ]
  %107 = icmp eq i32 %106, 2
  br i1 %107, label %172, label %108

108:                                              ; preds = %105
  %109 = load i32, ptr @search_mark, align 4
  %110 = add i32 %109, 1
  store i32 %110, ptr @search_mark, align 4
  %111 = load ptr, ptr @marks, align 8
  %112 = getelementptr inbounds nuw i32, ptr %111, i64 %10
  store i32 %110, ptr %112, align 4
  br label %115

113:                                              ; preds = %129
  %114 = icmp eq i32 %130, 2
  br i1 %114, label %156, label %172

115:                                              ; preds = %108, %129
  %116 = phi i32 [ %130, %129 ], [ %106, %108 ]
  %117 = phi i1 [ false, %129 ], [ true, %108 ]
  br i1 %117, label %122, label %118

118:                                              ; preds = %115
  %119 = load i32, ptr %58, align 8
  %120 = zext i32 %119 to i64
  %121 = getelementptr inbounds nuw %struct.Map, ptr %57, i64 %120
  br label %122

122:                                              ; preds = %115, %118
  %123 = phi ptr [ %121, %118 ], [ %12, %115 ]
  %124 = load i32, ptr %123, align 8
  %125 = icmp eq i32 %124, 0
  br i1 %125, label %129, label %126

126:                                              ; preds = %122
  %127 = getelementptr inbounds nuw i8, ptr %123, i64 16
  %128 = getelementptr inbounds nuw i8, ptr %123, i64 8
  br label %133

129:                                              ; preds = %148, %122
  %130 = phi i32 [ %116, %122 ], [ %150, %148 ]
  %131 = icmp ult i32 %130, 2
  %132 = select i1 %117, i1 %131, i1 false
  br i1 %132, label %115, label %113, !llvm.loop !166

133:                                              ; preds = %126, %148
  %134 = phi i32 [ %124, %126 ], [ %149, %148 ]
  %135 = phi i64 [ 0, %126 ], [ %151, %148 ]
  %136 = phi i32 [ %116, %126 ], [ %150, %148 ]
  %137 = load ptr, ptr %127, align 8
  %138 = getelementptr inbounds nuw ptr, ptr %137, i64 %135
  %139 = load ptr, ptr %138, align 8
  %140 = icmp eq ptr %139, null
  br i1 %140, label %148, label %141

141:                                              ; preds = %133
  %142 = load ptr, ptr %128, align 8
  %143 = getelementptr inbounds nuw i32, ptr %142, i64 %135
  %144 = load i32, ptr %143, align 4
  %145 = tail call fastcc i32 @reach(i32 noundef %144, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef 2) #18
  %146 = tail call i32 @llvm.umax.i32(i32 %136, i32 %145)
  %147 = load i32, ptr %123, align 8
  br label %148

148:                                              ; preds = %133, %141
  %149 = phi i32 [ %147, %141 ], [ %134, %133 ]
  %150 = phi i32 [ %146, %141 ], [ %136, %133 ]
  %151 = add nuw nsw i64 %135, 1
  %152 = zext i32 %149 to i64
  %153 = icmp samesign ult i64 %151, %152
  %154 = icmp samesign ult i32 %150, 2
  %155 = select i1 %153, i1 %154, i1 false
  br i1 %155, label %133, label %129, !llvm.loop !167

156:                                              ; preds = %113
  %157 = load i32, ptr %58, align 8
  %158 = zext i32 %157 to i64
  %159 = getelementptr inbounds nuw %struct.Map, ptr %57, i64 %158
  %160 = tail call fastcc ptr @need(ptr noundef nonnull %159, i32 noundef %1) #18
  %161 = zext nneg i32 %2 to i64
  %162 = getelementptr inbounds nuw i32, ptr %160, i64 %161
  %163 = load i32, ptr %162, align 4
  %164 = icmp ult i32 %163, %3
  br i1 %164, label %165, label %166

165:                                              ; preds = %156
  store i32 %3, ptr %162, align 4
  br label %166

166:                                              ; preds = %165, %156
  %167 = getelementptr inbounds nuw i8, ptr %160, i64 64
  %168 = getelementptr inbounds nuw i32, ptr %167, i64 %161
  %169 = load i32, ptr %168, align 4
  %170 = icmp ult i32 %169, %3
  br i1 %170, label %171, label %172

171:                                              ; preds = %166
  store i32 %3, ptr %168, align 4
  br label %172

172:                                              ; preds = %92, %113, %171, %166, %105
  %173 = phi i32 [ 2, %105 ], [ 2, %166 ], [ 2, %171 ], [ %130, %113 ], [ 2, %92 ]
  ret i32 %173
}

define void @kk3_san_barrier(ptr noundef readonly captures(none) %0) local_unnamed_addr #0 {
  %2 = alloca [16 x i32], align 16
  %3 = alloca [16 x i32], align 16
  %4 = load ptr, ptr @sans, align 8
  %5 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %6 = load i32, ptr %5, align 8
  %7 = zext i32 %6 to i64
  %8 = getelementptr inbounds nuw ptr, ptr %4, i64 %7
  %9 = load ptr, ptr %8, align 8
  call void @llvm.lifetime.start.p0(ptr nonnull %2) #20
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #20
  %10 = call ptr @memset(ptr noundef nonnull %2, i32 noundef 0, i64 noundef 64) #19
  %11 = call ptr @memset(ptr noundef nonnull %3, i32 noundef 0, i64 noundef 64) #19
  %12 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %13 = load i32, ptr %12, align 8
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %138, label %15

15:                                               ; preds = %1
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %17 = getelementptr inbounds nuw i8, ptr %9, i64 24
  br label %23

18:                                               ; preds = %70
  %19 = icmp eq i32 %77, 0
  br i1 %19, label %138, label %20

20:                                               ; preds = %18
  %21 = getelementptr inbounds nuw i8, ptr %9, i64 792
  %22 = zext i32 %77 to i64
  br label %130

23:                                               ; preds = %15, %70
  %24 = phi i64 [ 0, %15 ], [ %76, %70 ]
  %25 = load ptr, ptr %16, align 8
  %26 = getelementptr inbounds nuw %struct.Wave, ptr %25, i64 %24
  %27 = getelementptr inbounds nuw i8, ptr %26, i64 256
  %28 = load i32, ptr %27, align 8
  %29 = getelementptr inbounds nuw i8, ptr %26, i64 328
  %30 = getelementptr inbounds nuw i32, ptr %29, i64 %24
  store i32 %28, ptr %30, align 4
  %31 = getelementptr inbounds nuw i8, ptr %26, i64 264
  br label %32

32:                                               ; preds = %23, %32
  %33 = phi i64 [ 0, %23 ], [ %39, %32 ]
  %34 = getelementptr inbounds nuw i32, ptr %31, i64 %33
  %35 = load i32, ptr %34, align 4
  %36 = getelementptr inbounds nuw i32, ptr %2, i64 %33
  %37 = load i32, ptr %36, align 4
  %38 = call i32 @llvm.umax.i32(i32 %35, i32 %37)
  store i32 %38, ptr %36, align 4
  %39 = add nuw nsw i64 %33, 1
  %40 = icmp eq i64 %39, 16
  br i1 %40, label %41, label %32, !llvm.loop !102

41:                                               ; preds = %32, %41
  %42 = phi i64 [ %48, %41 ], [ 0, %32 ]
  %43 = getelementptr inbounds nuw i32, ptr %29, i64 %42
  %44 = load i32, ptr %43, align 4
  %45 = getelementptr inbounds nuw i32, ptr %3, i64 %42
  %46 = load i32, ptr %45, align 4
  %47 = call i32 @llvm.umax.i32(i32 %44, i32 %46)
  store i32 %47, ptr %45, align 4
  %48 = add nuw nsw i64 %42, 1
  %49 = icmp eq i64 %48, 16
  br i1 %49, label %50, label %41, !llvm.loop !102

50:                                               ; preds = %41
  %51 = getelementptr inbounds nuw %struct.Map, ptr %17, i64 %24
  %52 = load i32, ptr %51, align 8
  %53 = icmp eq i32 %52, 0
  br i1 %53, label %70, label %54

54:                                               ; preds = %50
  %55 = getelementptr inbounds nuw i8, ptr %51, i64 16
  %56 = getelementptr inbounds nuw i8, ptr %51, i64 8
  br label %80

57:                                               ; preds = %121
  %58 = icmp eq i32 %122, 0
  br i1 %58, label %70, label %59

59:                                               ; preds = %57
  %60 = getelementptr inbounds nuw i8, ptr %51, i64 16
  br label %61

61:                                               ; preds = %61, %59
  %62 = phi i64 [ 0, %59 ], [ %66, %61 ]
  %63 = load ptr, ptr %60, align 8
  %64 = getelementptr inbounds nuw ptr, ptr %63, i64 %62
  %65 = load ptr, ptr %64, align 8
  call void @free(ptr noundef %65) #19
  %66 = add nuw nsw i64 %62, 1
  %67 = load i32, ptr %51, align 8
  %68 = zext i32 %67 to i64
  %69 = icmp samesign ult i64 %66, %68
  br i1 %69, label %61, label %70, !llvm.loop !128

70:                                               ; preds = %61, %50, %57
  %71 = getelementptr inbounds nuw i8, ptr %51, i64 8
  %72 = load ptr, ptr %71, align 8
  call void @free(ptr noundef %72) #19
  %73 = getelementptr inbounds nuw i8, ptr %51, i64 16
  %74 = load ptr, ptr %73, align 8
  call void @free(ptr noundef %74) #19
  %75 = getelementptr inbounds nuw i8, ptr %51, i64 4
  store i32 0, ptr %75, align 4
  store i32 0, ptr %51, align 8
  store ptr null, ptr %71, align 8
  store ptr null, ptr %73, align 8
  %76 = add nuw nsw i64 %24, 1
  %77 = load i32, ptr %12, align 8
  %78 = zext i32 %77 to i64
  %79 = icmp samesign ult i64 %76, %78
  br i1 %79, label %23, label %18, !llvm.loop !168

80:                                               ; preds = %54, %121
  %81 = phi i32 [ %52, %54 ], [ %122, %121 ]
  %82 = phi i64 [ 0, %54 ], [ %123, %121 ]
  %83 = load ptr, ptr %55, align 8
  %84 = getelementptr inbounds nuw ptr, ptr %83, i64 %82
  %85 = load ptr, ptr %84, align 8
  %86 = icmp eq ptr %85, null
  br i1 %86, label %121, label %87

87:                                               ; preds = %80
  %88 = load ptr, ptr %56, align 8
  %89 = getelementptr inbounds nuw i32, ptr %88, i64 %82
  %90 = load i32, ptr %89, align 4
  %91 = call fastcc ptr @need(ptr noundef nonnull %9, i32 noundef %90) #18
  %92 = load ptr, ptr %55, align 8
  %93 = getelementptr inbounds nuw ptr, ptr %92, i64 %82
  %94 = load ptr, ptr %93, align 8
  br label %95

95:                                               ; preds = %87, %95
  %96 = phi i64 [ 0, %87 ], [ %102, %95 ]
  %97 = getelementptr inbounds nuw i32, ptr %94, i64 %96
  %98 = load i32, ptr %97, align 4
  %99 = getelementptr inbounds nuw i32, ptr %91, i64 %96
  %100 = load i32, ptr %99, align 4
  %101 = call i32 @llvm.umax.i32(i32 %98, i32 %100)
  store i32 %101, ptr %99, align 4
  %102 = add nuw nsw i64 %96, 1
  %103 = icmp eq i64 %102, 16
  br i1 %103, label %104, label %95, !llvm.loop !102

104:                                              ; preds = %95
  %105 = getelementptr inbounds nuw i8, ptr %91, i64 64
  %106 = load ptr, ptr %55, align 8
  %107 = getelementptr inbounds nuw ptr, ptr %106, i64 %82
  %108 = load ptr, ptr %107, align 8
  %109 = getelementptr inbounds nuw i8, ptr %108, i64 64
  br label %110

110:                                              ; preds = %104, %110
  %111 = phi i64 [ 0, %104 ], [ %117, %110 ]
  %112 = getelementptr inbounds nuw i32, ptr %109, i64 %111
  %113 = load i32, ptr %112, align 4
  %114 = getelementptr inbounds nuw i32, ptr %105, i64 %111
  %115 = load i32, ptr %114, align 4
  %116 = call i32 @llvm.umax.i32(i32 %113, i32 %115)
  store i32 %116, ptr %114, align 4
  %117 = add nuw nsw i64 %111, 1
  %118 = icmp eq i64 %117, 16
  br i1 %118, label %119, label %110, !llvm.loop !102

119:                                              ; preds = %110
  %120 = load i32, ptr %51, align 8
  br label %121

121:                                              ; preds = %119, %80
  %122 = phi i32 [ %120, %119 ], [ %81, %80 ]
  %123 = add nuw nsw i64 %82, 1
  %124 = zext i32 %122 to i64
  %125 = icmp samesign ult i64 %123, %124
  br i1 %125, label %80, label %57, !llvm.loop !169

126:                                              ; preds = %130
  %127 = getelementptr inbounds nuw i8, ptr %0, i64 104
  %128 = getelementptr inbounds nuw i8, ptr %9, i64 664
  %129 = getelementptr inbounds nuw i8, ptr %9, i64 792
  br label %139

130:                                              ; preds = %20, %130
  %131 = phi i64 [ 0, %20 ], [ %136, %130 ]
  %132 = phi i32 [ 0, %20 ], [ %135, %130 ]
  %133 = getelementptr inbounds nuw i32, ptr %21, i64 %131
  %134 = load i32, ptr %133, align 4
  %135 = call i32 @llvm.umax.i32(i32 %132, i32 %134)
  %136 = add nuw nsw i64 %131, 1
  %137 = icmp eq i64 %136, %22
  br i1 %137, label %126, label %130, !llvm.loop !170

138:                                              ; preds = %139, %1, %18
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #20
  call void @llvm.lifetime.end.p0(ptr nonnull %2) #20
  ret void

139:                                              ; preds = %126, %139
  %140 = phi i64 [ 0, %126 ], [ %151, %139 ]
  %141 = load ptr, ptr %127, align 8
  %142 = getelementptr inbounds nuw %struct.Wave, ptr %141, i64 %140
  %143 = getelementptr inbounds nuw i8, ptr %142, i64 264
  %144 = call ptr @memcpy(ptr noundef nonnull %143, ptr noundef nonnull %2, i64 noundef 64) #19
  %145 = load ptr, ptr %127, align 8
  %146 = getelementptr inbounds nuw %struct.Wave, ptr %145, i64 %140
  %147 = getelementptr inbounds nuw i8, ptr %146, i64 328
  %148 = call ptr @memcpy(ptr noundef nonnull %147, ptr noundef nonnull %3, i64 noundef 64) #19
  %149 = getelementptr inbounds nuw i32, ptr %128, i64 %140
  store i32 1, ptr %149, align 4
  %150 = getelementptr inbounds nuw i32, ptr %129, i64 %140
  store i32 %135, ptr %150, align 4
  %151 = add nuw nsw i64 %140, 1
  %152 = load i32, ptr %12, align 8
  %153 = zext i32 %152 to i64
  %154 = icmp samesign ult i64 %151, %153
  br i1 %154, label %139, label %138, !llvm.loop !171
}

define internal fastcc ptr @need(ptr noundef captures(none) %0, i32 noundef %1) unnamed_addr #0 {
  %3 = load i32, ptr %0, align 8
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %33, label %5

5:                                                ; preds = %2
  %6 = mul i32 %1, -1640531535
  %7 = add i32 %3, -1
  %8 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %9 = load ptr, ptr %8, align 8
  %10 = and i32 %7, %6
  %11 = zext i32 %10 to i64
  %12 = getelementptr inbounds nuw ptr, ptr %9, i64 %11
  %13 = load ptr, ptr %12, align 8
  %14 = icmp eq ptr %13, null
  br i1 %14, label %33, label %15

15:                                               ; preds = %5
  %16 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %17 = load ptr, ptr %16, align 8
  %18 = getelementptr inbounds nuw i32, ptr %17, i64 %11
  %19 = load i32, ptr %18, align 4
  %20 = icmp eq i32 %19, %1
  br i1 %20, label %106, label %21

21:                                               ; preds = %15, %29
  %22 = phi i32 [ %24, %29 ], [ %10, %15 ]
  %23 = add nuw i32 %22, 1
  %24 = and i32 %23, %7
  %25 = zext i32 %24 to i64
  %26 = getelementptr inbounds nuw ptr, ptr %9, i64 %25
  %27 = load ptr, ptr %26, align 8
  %28 = icmp eq ptr %27, null
  br i1 %28, label %33, label %29, !llvm.loop !100

29:                                               ; preds = %21
  %30 = getelementptr inbounds nuw i32, ptr %17, i64 %25
  %31 = load i32, ptr %30, align 4
  %32 = icmp eq i32 %31, %1
  br i1 %32, label %106, label %21, !llvm.loop !100

33:                                               ; preds = %21, %2, %5
  %34 = getelementptr inbounds nuw i8, ptr %0, i64 4
  %35 = load i32, ptr %34, align 4
  %36 = shl i32 %35, 1
  %37 = add i32 %36, 2
  %38 = icmp ugt i32 %37, %3
  br i1 %38, label %39, label %83

39:                                               ; preds = %33
  %40 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %41 = load ptr, ptr %40, align 8
  %42 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %43 = load ptr, ptr %42, align 8
  %44 = shl i32 %3, 1
  %45 = select i1 %4, i32 16, i32 %44
  store i32 %45, ptr %0, align 8
  %46 = zext i32 %45 to i64
  %47 = tail call ptr @calloc(i64 noundef %46, i64 noundef 4) #19
  store ptr %47, ptr %40, align 8
  %48 = load i32, ptr %0, align 8
  %49 = zext i32 %48 to i64
  %50 = tail call ptr @calloc(i64 noundef %49, i64 noundef 8) #19
  store ptr %50, ptr %42, align 8
  br i1 %4, label %53, label %51

51:                                               ; preds = %39
  %52 = zext i32 %3 to i64
  br label %55

53:                                               ; preds = %80, %39
  tail call void @free(ptr noundef %41) #19
  tail call void @free(ptr noundef %43) #19
  %54 = load i32, ptr %34, align 4
  br label %83

55:                                               ; preds = %51, %80
  %56 = phi i64 [ 0, %51 ], [ %81, %80 ]
  %57 = getelementptr inbounds nuw ptr, ptr %43, i64 %56
  %58 = load ptr, ptr %57, align 8
  %59 = icmp eq ptr %58, null
  br i1 %59, label %80, label %60

60:                                               ; preds = %55
  %61 = getelementptr inbounds nuw i32, ptr %41, i64 %56
  %62 = load i32, ptr %61, align 4
  %63 = mul i32 %62, -1640531535
  %64 = load i32, ptr %0, align 8
  %65 = add i32 %64, -1
  %66 = load ptr, ptr %42, align 8
  br label %67

67:                                               ; preds = %67, %60
  %68 = phi i32 [ %63, %60 ], [ %74, %67 ]
  %69 = and i32 %68, %65
  %70 = zext i32 %69 to i64
  %71 = getelementptr inbounds nuw ptr, ptr %66, i64 %70
  %72 = load ptr, ptr %71, align 8
  %73 = icmp eq ptr %72, null
  %74 = add i32 %69, 1
  br i1 %73, label %75, label %67, !llvm.loop !172

75:                                               ; preds = %67
  %76 = load ptr, ptr %40, align 8
  %77 = getelementptr inbounds nuw i32, ptr %76, i64 %70
  store i32 %62, ptr %77, align 4
  %78 = load ptr, ptr %42, align 8
  %79 = getelementptr inbounds nuw ptr, ptr %78, i64 %70
  store ptr %58, ptr %79, align 8
  br label %80

80:                                               ; preds = %55, %75
  %81 = add nuw nsw i64 %56, 1
  %82 = icmp eq i64 %81, %52
  br i1 %82, label %53, label %55, !llvm.loop !173

83:                                               ; preds = %53, %33
  %84 = phi i32 [ %54, %53 ], [ %35, %33 ]
  %85 = add i32 %84, 1
  store i32 %85, ptr %34, align 4
  %86 = tail call ptr @calloc(i64 noundef 1, i64 noundef 128) #19
  %87 = mul i32 %1, -1640531535
  %88 = load i32, ptr %0, align 8
  %89 = add i32 %88, -1
  %90 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %91 = load ptr, ptr %90, align 8
  br label %92

92:                                               ; preds = %92, %83
  %93 = phi i32 [ %87, %83 ], [ %99, %92 ]
  %94 = and i32 %93, %89
  %95 = zext i32 %94 to i64
  %96 = getelementptr inbounds nuw ptr, ptr %91, i64 %95
  %97 = load ptr, ptr %96, align 8
  %98 = icmp eq ptr %97, null
  %99 = add i32 %94, 1
  br i1 %98, label %100, label %92, !llvm.loop !172

100:                                              ; preds = %92
  %101 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %102 = load ptr, ptr %101, align 8
  %103 = getelementptr inbounds nuw i32, ptr %102, i64 %95
  store i32 %1, ptr %103, align 4
  %104 = load ptr, ptr %90, align 8
  %105 = getelementptr inbounds nuw ptr, ptr %104, i64 %95
  store ptr %86, ptr %105, align 8
  br label %106

106:                                              ; preds = %29, %15, %100
  %107 = phi ptr [ %86, %100 ], [ %13, %15 ], [ %27, %29 ]
  ret ptr %107
}

declare ptr @memcpy(ptr noundef, ptr noundef, i64 noundef) local_unnamed_addr #4

define void @kk3_san_start(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1) local_unnamed_addr #0 {
  %3 = load ptr, ptr @sans, align 8
  %4 = icmp eq ptr %3, null
  br i1 %4, label %5, label %16

5:                                                ; preds = %2
  %6 = getelementptr inbounds nuw i8, ptr %0, i64 28
  %7 = load i32, ptr %6, align 4
  store i32 %7, ptr @nsans, align 4
  %8 = zext i32 %7 to i64
  %9 = tail call ptr @calloc(i64 noundef %8, i64 noundef 8) #19
  store ptr %9, ptr @sans, align 8
  %10 = load i32, ptr @nsans, align 4
  %11 = zext i32 %10 to i64
  %12 = tail call ptr @calloc(i64 noundef %11, i64 noundef 4) #19
  store ptr %12, ptr @marks, align 8
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 8
  %14 = load i64, ptr %13, align 8
  %15 = tail call ptr @calloc(i64 noundef %14, i64 noundef 8) #19
  store ptr %15, ptr @lines, align 8
  store i32 0, ptr @search_mark, align 4
  store i32 0, ptr @event, align 4
  br label %16

16:                                               ; preds = %5, %2
  %17 = tail call ptr @calloc(i64 noundef 1, i64 noundef 888) #19
  %18 = load ptr, ptr @sans, align 8
  %19 = getelementptr inbounds nuw i8, ptr %1, i64 8
  %20 = load i32, ptr %19, align 8
  %21 = zext i32 %20 to i64
  %22 = getelementptr inbounds nuw ptr, ptr %18, i64 %21
  store ptr %17, ptr %22, align 8
  %23 = load ptr, ptr %1, align 8
  %24 = getelementptr inbounds nuw i8, ptr %17, i64 856
  store ptr %23, ptr %24, align 8
  %25 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %26 = load i32, ptr %25, align 8
  %27 = getelementptr inbounds nuw i8, ptr %17, i64 864
  store i32 %26, ptr %27, align 8
  %28 = getelementptr inbounds nuw i8, ptr %1, i64 52
  %29 = load i32, ptr %28, align 4
  %30 = getelementptr inbounds nuw i8, ptr %17, i64 868
  store i32 %29, ptr %30, align 4
  %31 = getelementptr inbounds nuw i8, ptr %1, i64 40
  %32 = getelementptr inbounds nuw i8, ptr %17, i64 872
  br label %39

33:                                               ; preds = %39
  %34 = getelementptr inbounds nuw i8, ptr %1, i64 16
  %35 = load i32, ptr %34, align 8
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %46, label %37

37:                                               ; preds = %33
  %38 = getelementptr inbounds nuw i8, ptr %17, i64 664
  br label %47

39:                                               ; preds = %16, %39
  %40 = phi i64 [ 0, %16 ], [ %44, %39 ]
  %41 = getelementptr inbounds nuw i32, ptr %31, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = getelementptr inbounds nuw i32, ptr %32, i64 %40
  store i32 %42, ptr %43, align 4
  %44 = add nuw nsw i64 %40, 1
  %45 = icmp eq i64 %44, 3
  br i1 %45, label %33, label %39, !llvm.loop !174

46:                                               ; preds = %47, %33
  ret void

47:                                               ; preds = %37, %47
  %48 = phi i64 [ 0, %37 ], [ %50, %47 ]
  %49 = getelementptr inbounds nuw i32, ptr %38, i64 %48
  store i32 1, ptr %49, align 4
  %50 = add nuw nsw i64 %48, 1
  %51 = load i32, ptr %34, align 8
  %52 = zext i32 %51 to i64
  %53 = icmp samesign ult i64 %50, %52
  br i1 %53, label %47, label %46, !llvm.loop !175
}

define internal fastcc void @handed_in_all(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, i64 noundef range(i64 0, 68719476736) %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) unnamed_addr #10 {
  %7 = zext i32 %4 to i64
  %8 = add nuw nsw i64 %2, %7
  %9 = zext i32 %5 to i64
  %10 = zext i32 %3 to i64
  %11 = add nsw i64 %2, -1
  %12 = add nsw i64 %11, %10
  %13 = add nsw i64 %12, %9
  %14 = lshr i64 %8, 16
  %15 = lshr i64 %13, 16
  %16 = icmp eq i64 %14, %15
  br i1 %16, label %17, label %70

17:                                               ; preds = %6
  %18 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %19 = load ptr, ptr %18, align 8
  %20 = getelementptr inbounds nuw ptr, ptr %19, i64 %14
  %21 = load ptr, ptr %20, align 8
  %22 = icmp eq ptr %21, null
  br i1 %22, label %109, label %23

23:                                               ; preds = %17
  %24 = sub i32 %5, %4
  %25 = icmp ult i32 %24, 2048
  br i1 %25, label %26, label %70

26:                                               ; preds = %23
  %27 = lshr i64 %8, 3
  %28 = and i64 %27, 8191
  %29 = lshr i64 %13, 3
  %30 = and i64 %29, 8191
  %31 = icmp samesign ugt i64 %28, %30
  br i1 %31, label %34, label %58

32:                                               ; preds = %58
  %33 = zext i16 %63 to i32
  br label %34

34:                                               ; preds = %32, %26
  %35 = phi i32 [ 0, %26 ], [ %33, %32 ]
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %37 = load ptr, ptr %36, align 8
  %38 = load i32, ptr %37, align 4
  br label %39

39:                                               ; preds = %34, %39
  %40 = phi i64 [ 0, %34 ], [ %49, %39 ]
  %41 = phi i32 [ 0, %34 ], [ %48, %39 ]
  %42 = getelementptr inbounds nuw i32, ptr %37, i64 %40
  %43 = load i32, ptr %42, align 4
  %44 = trunc nuw nsw i64 %40 to i32
  %45 = mul i32 %3, %44
  %46 = add i32 %38, %45
  %47 = xor i32 %46, %43
  %48 = or i32 %47, %41
  %49 = add nuw nsw i64 %40, 1
  %50 = icmp eq i64 %49, 64
  br i1 %50, label %51, label %39, !llvm.loop !13

51:                                               ; preds = %39
  %52 = icmp eq i32 %48, 0
  %53 = getelementptr inbounds nuw i8, ptr %0, i64 80
  %54 = load ptr, ptr %53, align 8
  %55 = getelementptr inbounds nuw i8, ptr %54, i64 36
  %56 = load i32, ptr %55, align 4
  %57 = icmp ult i32 %56, %35
  br i1 %52, label %67, label %66

58:                                               ; preds = %26, %58
  %59 = phi i64 [ %64, %58 ], [ %28, %26 ]
  %60 = phi i16 [ %63, %58 ], [ 0, %26 ]
  %61 = getelementptr inbounds nuw i16, ptr %21, i64 %59
  %62 = load i16, ptr %61, align 2
  %63 = tail call i16 @llvm.umax.i16(i16 %62, i16 %60)
  %64 = add nuw nsw i64 %59, 1
  %65 = icmp eq i64 %59, %30
  br i1 %65, label %32, label %58, !llvm.loop !176

66:                                               ; preds = %51
  br i1 %57, label %70, label %109

67:                                               ; preds = %51
  br i1 %57, label %68, label %109

68:                                               ; preds = %67
  %69 = getelementptr inbounds nuw i8, ptr %54, i64 36
  store i32 %35, ptr %69, align 4
  br label %109

70:                                               ; preds = %66, %23, %6
  %71 = icmp eq i32 %3, 0
  %72 = getelementptr inbounds nuw i8, ptr %0, i64 16
  %73 = getelementptr inbounds nuw i8, ptr %1, i64 56
  %74 = getelementptr inbounds nuw i8, ptr %0, i64 80
  br label %75

75:                                               ; preds = %70, %77
  %76 = phi i64 [ 0, %70 ], [ %78, %77 ]
  br i1 %71, label %77, label %80

77:                                               ; preds = %106, %75
  %78 = add nuw nsw i64 %76, 1
  %79 = icmp eq i64 %78, 64
  br i1 %79, label %109, label %75, !llvm.loop !177

80:                                               ; preds = %75, %106
  %81 = phi i64 [ %107, %106 ], [ 0, %75 ]
  %82 = load ptr, ptr %72, align 8
  %83 = getelementptr inbounds nuw i32, ptr %82, i64 %76
  %84 = load i32, ptr %83, align 4
  %85 = zext i32 %84 to i64
  %86 = add nuw nsw i64 %2, %81
  %87 = add nuw nsw i64 %86, %85
  %88 = load ptr, ptr %73, align 8
  %89 = icmp eq ptr %88, null
  br i1 %89, label %106, label %90

90:                                               ; preds = %80
  %91 = lshr i64 %87, 16
  %92 = getelementptr inbounds nuw ptr, ptr %88, i64 %91
  %93 = load ptr, ptr %92, align 8
  %94 = icmp eq ptr %93, null
  br i1 %94, label %106, label %95

95:                                               ; preds = %90
  %96 = lshr i64 %87, 3
  %97 = and i64 %96, 8191
  %98 = getelementptr inbounds nuw i16, ptr %93, i64 %97
  %99 = load i16, ptr %98, align 2
  %100 = zext i16 %99 to i32
  %101 = load ptr, ptr %74, align 8
  %102 = getelementptr inbounds nuw i8, ptr %101, i64 36
  %103 = load i32, ptr %102, align 4
  %104 = icmp ult i32 %103, %100
  br i1 %104, label %105, label %106

105:                                              ; preds = %95
  store i32 %100, ptr %102, align 4
  br label %106

106:                                              ; preds = %90, %80, %95, %105
  %107 = add nuw nsw i64 %81, 8
  %108 = icmp samesign ult i64 %107, %10
  br i1 %108, label %80, label %77, !llvm.loop !178

109:                                              ; preds = %77, %66, %17, %67, %68
  ret void
}

declare i64 @llvm.cttz.i64(i64, i1 immarg) #11

declare i64 @llvm.ctpop.i64(i64) #12

declare ptr @realloc(ptr noundef, i64 noundef) local_unnamed_addr #4

define internal fastcc void @end_wave(ptr noundef captures(none) %0, ptr noundef captures(none) %1) unnamed_addr #0 {
  %3 = getelementptr inbounds nuw i8, ptr %1, i64 72
  %4 = load ptr, ptr %3, align 8
  %5 = icmp eq ptr %4, null
  br i1 %5, label %56, label %6

6:                                                ; preds = %2
  %7 = getelementptr inbounds nuw i8, ptr %0, i64 48
  %8 = load i64, ptr %7, align 8
  %9 = lshr i64 %8, 3
  %10 = getelementptr inbounds nuw i8, ptr %1, i64 80
  %11 = load ptr, ptr %10, align 8
  %12 = getelementptr inbounds nuw i8, ptr %11, i64 8
  %13 = load i32, ptr %12, align 8
  %14 = and i32 %13, 63
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %16, label %41

16:                                               ; preds = %6
  %17 = getelementptr inbounds nuw i8, ptr %1, i64 32
  %18 = load i32, ptr %17, align 8
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %20, label %41

20:                                               ; preds = %16
  %21 = icmp ugt i64 %8, 15
  br i1 %21, label %22, label %33

22:                                               ; preds = %20, %27
  %23 = phi i64 [ %28, %27 ], [ 1, %20 ]
  %24 = getelementptr inbounds nuw i64, ptr %4, i64 %23
  %25 = load i64, ptr %24, align 8
  %26 = icmp eq i64 %25, 0
  br i1 %26, label %27, label %30

27:                                               ; preds = %22
  %28 = add nuw nsw i64 %23, 8
  %29 = icmp samesign ult i64 %28, %9
  br i1 %29, label %22, label %30, !llvm.loop !179

30:                                               ; preds = %27, %22
  %31 = phi i64 [ %23, %22 ], [ %28, %27 ]
  %32 = shl i64 %31, 3
  br label %33

33:                                               ; preds = %30, %20
  %34 = phi i64 [ 8, %20 ], [ %32, %30 ]
  %35 = sub i64 %8, %34
  %36 = getelementptr inbounds nuw i8, ptr %0, i64 320
  %37 = load i64, ptr %36, align 8
  %38 = icmp ugt i64 %35, %37
  br i1 %38, label %39, label %41

39:                                               ; preds = %33
  store i64 %35, ptr %36, align 8
  %40 = load ptr, ptr %3, align 8
  br label %41

41:                                               ; preds = %33, %39, %16, %6
  %42 = phi ptr [ %4, %33 ], [ %40, %39 ], [ %4, %16 ], [ %4, %6 ]
  %43 = getelementptr inbounds nuw i8, ptr %0, i64 40
  %44 = load ptr, ptr %43, align 8
  %45 = ptrtoint ptr %42 to i64
  %46 = ptrtoint ptr %44 to i64
  %47 = sub i64 %45, %46
  %48 = udiv i64 %47, %8
  %49 = trunc i64 %48 to i32
  %50 = getelementptr inbounds nuw i8, ptr %0, i64 64
  %51 = load ptr, ptr %50, align 8
  %52 = getelementptr inbounds nuw i8, ptr %0, i64 72
  %53 = load i64, ptr %52, align 8
  %54 = add i64 %53, 1
  store i64 %54, ptr %52, align 8
  %55 = getelementptr inbounds nuw i32, ptr %51, i64 %53
  store i32 %49, ptr %55, align 4
  br label %56

56:                                               ; preds = %41, %2
  store ptr null, ptr %3, align 8
  %57 = getelementptr inbounds nuw i8, ptr %1, i64 240
  %58 = load ptr, ptr %57, align 8
  tail call void @free(ptr noundef %58) #19
  %59 = getelementptr inbounds nuw i8, ptr %1, i64 248
  %60 = load ptr, ptr %59, align 8
  tail call void @free(ptr noundef %60) #19
  store ptr null, ptr %59, align 8
  store ptr null, ptr %57, align 8
  ret void
}

define internal fastcc void @rows_scaled(ptr noundef readonly captures(none) %0, ptr noundef nonnull captures(none) %1, i32 noundef %2, i32 noundef range(i32 0, 268435456) %3, i32 noundef range(i32 0, 268435455) %4, i32 noundef range(i32 0, 268435455) %5, i32 noundef range(i32 0, 2) %6) unnamed_addr #13 {
  %8 = alloca [4 x <16 x float>], align 64
  %9 = alloca [4 x [16 x double]], align 16
  %10 = alloca [16 x double], align 16
  %11 = lshr i32 %2, 5
  %12 = icmp eq i32 %11, 0
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 200
  %14 = icmp eq i32 %6, 0
  %15 = icmp eq i32 %11, 4
  %16 = getelementptr inbounds nuw i8, ptr %8, i64 64
  %17 = getelementptr inbounds nuw i8, ptr %8, i64 128
  %18 = getelementptr inbounds nuw i8, ptr %8, i64 192
  %19 = zext nneg i32 %11 to i64
  %20 = zext nneg i32 %11 to i64
  %21 = zext nneg i32 %11 to i64
  br label %23

22:                                               ; preds = %216
  ret void

23:                                               ; preds = %7, %216
  %24 = phi i64 [ 0, %7 ], [ %217, %216 ]
  call void @llvm.lifetime.start.p0(ptr nonnull %8) #20
  call void @llvm.lifetime.start.p0(ptr nonnull %9) #20
  br i1 %12, label %28, label %25

25:                                               ; preds = %23
  %26 = getelementptr inbounds nuw float, ptr @Sa, i64 %24
  %27 = getelementptr inbounds nuw float, ptr @At, i64 %24
  br label %37

28:                                               ; preds = %161, %23
  %29 = load i32, ptr %13, align 8
  switch i32 %29, label %34 [
    i32 0, label %30
    i32 1, label %177
  ]

30:                                               ; preds = %28
  br i1 %12, label %216, label %31

31:                                               ; preds = %30
  %32 = getelementptr inbounds nuw <16 x float>, ptr %1, i64 %24
  %33 = load <16 x float>, ptr %32, align 64
  br label %169

34:                                               ; preds = %28
  %35 = getelementptr inbounds nuw <16 x float>, ptr %1, i64 %24
  %36 = load <16 x float>, ptr %35, align 64
  br label %191

37:                                               ; preds = %25, %161
  %38 = phi i64 [ 0, %25 ], [ %165, %161 ]
  %39 = phi i64 [ 32, %25 ], [ %167, %161 ]
  %40 = phi i64 [ 0, %25 ], [ %166, %161 ]
  %41 = trunc nuw nsw i64 %38 to i32
  %42 = mul i32 %3, %41
  %43 = add i32 %42, %4
  %44 = zext i32 %43 to i64
  %45 = getelementptr inbounds nuw <16 x float>, ptr %26, i64 %44
  %46 = load float, ptr %45, align 4
  %47 = insertelement <16 x float> poison, float %46, i64 0
  %48 = shufflevector <16 x float> %47, <16 x float> poison, <16 x i32> zeroinitializer
  %49 = add i32 %42, %5
  %50 = zext i32 %49 to i64
  %51 = getelementptr inbounds nuw <16 x float>, ptr @Sb, i64 %50
  %52 = load <16 x float>, ptr %51, align 64
  %53 = fmul <16 x float> %52, %48
  br i1 %14, label %109, label %54

54:                                               ; preds = %37
  %55 = shl nuw i64 %38, 5
  %56 = add nuw nsw i64 %55, 32
  br label %57

57:                                               ; preds = %54, %57
  %58 = phi i64 [ %40, %54 ], [ %88, %57 ]
  %59 = phi <16 x float> [ zeroinitializer, %54 ], [ %82, %57 ]
  %60 = phi <16 x float> [ zeroinitializer, %54 ], [ %87, %57 ]
  %61 = trunc nuw i64 %58 to i32
  %62 = mul i32 %3, %61
  %63 = add i32 %62, %4
  %64 = zext i32 %63 to i64
  %65 = getelementptr inbounds nuw <16 x float>, ptr %27, i64 %64
  %66 = load float, ptr %65, align 4
  %67 = trunc i64 %58 to i32
  %68 = or disjoint i32 %67, 1
  %69 = mul i32 %68, %3
  %70 = add i32 %69, %4
  %71 = zext i32 %70 to i64
  %72 = getelementptr inbounds nuw <16 x float>, ptr %27, i64 %71
  %73 = load float, ptr %72, align 4
  %74 = insertelement <16 x float> poison, float %66, i64 0
  %75 = shufflevector <16 x float> %74, <16 x float> poison, <16 x i32> zeroinitializer
  %76 = insertelement <16 x float> poison, float %73, i64 0
  %77 = shufflevector <16 x float> %76, <16 x float> poison, <16 x i32> zeroinitializer
  %78 = add i32 %62, %5
  %79 = zext i32 %78 to i64
  %80 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %79
  %81 = load <16 x float>, ptr %80, align 64
  %82 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %75, <16 x float> %81, <16 x float> %59)
  %83 = add i32 %69, %5
  %84 = zext i32 %83 to i64
  %85 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %84
  %86 = load <16 x float>, ptr %85, align 64
  %87 = tail call <16 x float> @llvm.fma.v16f32(<16 x float> %77, <16 x float> %86, <16 x float> %60)
  %88 = add nuw nsw i64 %58, 2
  %89 = icmp samesign ult i64 %88, %56
  br i1 %89, label %57, label %90, !llvm.loop !180

90:                                               ; preds = %57
  %91 = fadd <16 x float> %87, %82
  %92 = load i32, ptr %13, align 8
  %93 = icmp eq i32 %92, 2
  br i1 %93, label %94, label %161

94:                                               ; preds = %90
  %95 = fpext float %46 to double
  %96 = getelementptr inbounds nuw [16 x double], ptr %9, i64 %38
  br label %97

97:                                               ; preds = %94, %97
  %98 = phi i64 [ 0, %94 ], [ %107, %97 ]
  %99 = trunc nuw nsw i64 %98 to i32
  %100 = extractelement <16 x float> %91, i32 %99
  %101 = fpext float %100 to double
  %102 = fmul double %95, %101
  %103 = extractelement <16 x float> %52, i32 %99
  %104 = fpext float %103 to double
  %105 = fmul double %102, %104
  %106 = getelementptr inbounds nuw double, ptr %96, i64 %98
  store double %105, ptr %106, align 8
  %107 = add nuw nsw i64 %98, 1
  %108 = icmp eq i64 %107, 16
  br i1 %108, label %161, label %97, !llvm.loop !181

109:                                              ; preds = %37
  call void @llvm.lifetime.start.p0(ptr nonnull %10) #20
  br label %110

110:                                              ; preds = %109, %110
  %111 = phi i64 [ 0, %109 ], [ %113, %110 ]
  %112 = getelementptr inbounds nuw double, ptr %10, i64 %111
  store double 0.000000e+00, ptr %112, align 8
  %113 = add nuw nsw i64 %111, 1
  %114 = icmp eq i64 %113, 16
  br i1 %114, label %118, label %110, !llvm.loop !182

115:                                              ; preds = %131
  %116 = fpext float %46 to double
  %117 = getelementptr inbounds nuw [16 x double], ptr %9, i64 %38
  br label %146

118:                                              ; preds = %110, %131
  %119 = phi i64 [ %132, %131 ], [ %40, %110 ]
  %120 = trunc nuw i64 %119 to i32
  %121 = mul i32 %3, %120
  %122 = add i32 %121, %4
  %123 = zext i32 %122 to i64
  %124 = getelementptr inbounds nuw <16 x float>, ptr %27, i64 %123
  %125 = load float, ptr %124, align 4
  %126 = fpext float %125 to double
  %127 = add i32 %121, %5
  %128 = zext i32 %127 to i64
  %129 = getelementptr inbounds nuw <16 x float>, ptr @Bt, i64 %128
  %130 = load <16 x float>, ptr %129, align 64
  br label %134

131:                                              ; preds = %134
  %132 = add nuw nsw i64 %119, 1
  %133 = icmp eq i64 %132, %39
  br i1 %133, label %115, label %118, !llvm.loop !183

134:                                              ; preds = %118, %134
  %135 = phi i64 [ 0, %118 ], [ %143, %134 ]
  %136 = trunc nuw nsw i64 %135 to i32
  %137 = extractelement <16 x float> %130, i32 %136
  %138 = fpext float %137 to double
  %139 = fmul double %126, %138
  %140 = getelementptr inbounds nuw double, ptr %10, i64 %135
  %141 = load double, ptr %140, align 8
  %142 = fadd double %141, %139
  store double %142, ptr %140, align 8
  %143 = add nuw nsw i64 %135, 1
  %144 = icmp eq i64 %143, 16
  br i1 %144, label %131, label %134, !llvm.loop !184

145:                                              ; preds = %146
  call void @llvm.lifetime.end.p0(ptr nonnull %10) #20
  br label %161

146:                                              ; preds = %115, %146
  %147 = phi i64 [ 0, %115 ], [ %159, %146 ]
  %148 = phi <16 x float> [ zeroinitializer, %115 ], [ %153, %146 ]
  %149 = getelementptr inbounds nuw double, ptr %10, i64 %147
  %150 = load double, ptr %149, align 8
  %151 = fptrunc double %150 to float
  %152 = trunc nuw nsw i64 %147 to i32
  %153 = insertelement <16 x float> %148, float %151, i32 %152
  %154 = fmul double %150, %116
  %155 = extractelement <16 x float> %52, i32 %152
  %156 = fpext float %155 to double
  %157 = fmul double %154, %156
  %158 = getelementptr inbounds nuw double, ptr %117, i64 %147
  store double %157, ptr %158, align 8
  %159 = add nuw nsw i64 %147, 1
  %160 = icmp eq i64 %159, 16
  br i1 %160, label %145, label %146, !llvm.loop !185

161:                                              ; preds = %97, %90, %145
  %162 = phi <16 x float> [ %153, %145 ], [ %91, %90 ], [ %91, %97 ]
  %163 = fmul <16 x float> %53, %162
  %164 = getelementptr inbounds nuw <16 x float>, ptr %8, i64 %38
  store <16 x float> %163, ptr %164, align 64
  %165 = add nuw nsw i64 %38, 1
  %166 = add nuw nsw i64 %40, 32
  %167 = add nuw nsw i64 %39, 32
  %168 = icmp eq i64 %165, %19
  br i1 %168, label %28, label %37, !llvm.loop !186

169:                                              ; preds = %31, %169
  %170 = phi i64 [ 0, %31 ], [ %175, %169 ]
  %171 = phi <16 x float> [ %33, %31 ], [ %174, %169 ]
  %172 = getelementptr inbounds nuw <16 x float>, ptr %8, i64 %170
  %173 = load <16 x float>, ptr %172, align 64
  %174 = fadd <16 x float> %171, %173
  %175 = add nuw nsw i64 %170, 1
  %176 = icmp eq i64 %175, %20
  br i1 %176, label %215, label %169, !llvm.loop !187

177:                                              ; preds = %28
  %178 = getelementptr inbounds nuw <16 x float>, ptr %1, i64 %24
  %179 = load <16 x float>, ptr %178, align 64
  %180 = load <16 x float>, ptr %8, align 64
  %181 = load <16 x float>, ptr %16, align 64
  %182 = fadd <16 x float> %180, %181
  br i1 %15, label %183, label %188

183:                                              ; preds = %177
  %184 = load <16 x float>, ptr %17, align 64
  %185 = load <16 x float>, ptr %18, align 64
  %186 = fadd <16 x float> %184, %185
  %187 = fadd <16 x float> %182, %186
  br label %188

188:                                              ; preds = %177, %183
  %189 = phi <16 x float> [ %187, %183 ], [ %182, %177 ]
  %190 = fadd <16 x float> %179, %189
  store <16 x float> %190, ptr %178, align 64
  br label %216

191:                                              ; preds = %34, %196
  %192 = phi i64 [ 0, %34 ], [ %204, %196 ]
  %193 = phi <16 x float> [ %36, %34 ], [ %203, %196 ]
  br i1 %12, label %196, label %194

194:                                              ; preds = %191
  %195 = getelementptr inbounds nuw double, ptr %9, i64 %192
  br label %206

196:                                              ; preds = %206, %191
  %197 = phi double [ 0.000000e+00, %191 ], [ %211, %206 ]
  %198 = trunc nuw nsw i64 %192 to i32
  %199 = extractelement <16 x float> %193, i32 %198
  %200 = fpext float %199 to double
  %201 = fadd double %197, %200
  %202 = fptrunc double %201 to float
  %203 = insertelement <16 x float> %193, float %202, i32 %198
  %204 = add nuw nsw i64 %192, 1
  %205 = icmp eq i64 %204, 16
  br i1 %205, label %214, label %191, !llvm.loop !188

206:                                              ; preds = %194, %206
  %207 = phi i64 [ 0, %194 ], [ %212, %206 ]
  %208 = phi double [ 0.000000e+00, %194 ], [ %211, %206 ]
  %209 = getelementptr inbounds nuw [16 x double], ptr %195, i64 %207
  %210 = load double, ptr %209, align 8
  %211 = fadd double %208, %210
  %212 = add nuw nsw i64 %207, 1
  %213 = icmp eq i64 %212, %21
  br i1 %213, label %196, label %206, !llvm.loop !189

214:                                              ; preds = %196
  store <16 x float> %203, ptr %35, align 64
  br label %216

215:                                              ; preds = %169
  store <16 x float> %174, ptr %32, align 64
  br label %216

216:                                              ; preds = %30, %215, %214, %188
  call void @llvm.lifetime.end.p0(ptr nonnull %9) #20
  call void @llvm.lifetime.end.p0(ptr nonnull %8) #20
  %217 = add nuw nsw i64 %24, 1
  %218 = icmp eq i64 %217, 16
  br i1 %218, label %22, label %23, !llvm.loop !190
}

declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>) #12

declare double @llvm.sqrt.f64(double) #12

declare double @sin(double noundef) local_unnamed_addr #4

declare double @cos(double noundef) local_unnamed_addr #4

declare double @tanh(double noundef) local_unnamed_addr #4

declare double @erf(double noundef) local_unnamed_addr #4

declare double @pow(double noundef, double noundef) local_unnamed_addr #4

declare double @log1p(double noundef) local_unnamed_addr #4

declare double @expm1(double noundef) local_unnamed_addr #4

declare double @atan(double noundef) local_unnamed_addr #4

declare double @atan2(double noundef, double noundef) local_unnamed_addr #4

define internal fastcc range(i32 0, 3) i32 @reach(i32 noundef %0, i32 noundef range(i32 0, 268435456) %1, i32 noundef range(i32 0, 16) %2, i32 noundef %3, i32 noundef range(i32 0, 3) %4) unnamed_addr #14 {
  %6 = load ptr, ptr @sans, align 8
  %7 = zext i32 %0 to i64
  %8 = getelementptr inbounds nuw ptr, ptr %6, i64 %7
  %9 = load ptr, ptr %8, align 8
  %10 = icmp eq ptr %9, null
  br i1 %10, label %157, label %11

11:                                               ; preds = %5
  %12 = load ptr, ptr @marks, align 8
  %13 = getelementptr inbounds nuw i32, ptr %12, i64 %7
  %14 = load i32, ptr %13, align 4
  %15 = load i32, ptr @search_mark, align 4
  %16 = icmp eq i32 %14, %15
  br i1 %16, label %157, label %17

17:                                               ; preds = %11
  store i32 %15, ptr %13, align 4
  %18 = load i32, ptr %9, align 8
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %60, label %20

20:                                               ; preds = %17
  %21 = mul i32 %1, -1640531535
  %22 = add i32 %18, -1
  %23 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %24 = load ptr, ptr %23, align 8
  %25 = and i32 %22, %21
  %26 = zext i32 %25 to i64
  %27 = getelementptr inbounds nuw ptr, ptr %24, i64 %26
  %28 = load ptr, ptr %27, align 8
  %29 = icmp eq ptr %28, null
  br i1 %29, label %60, label %30

30:                                               ; preds = %20
  %31 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %32 = load ptr, ptr %31, align 8
  %33 = getelementptr inbounds nuw i32, ptr %32, i64 %26
  %34 = load i32, ptr %33, align 4
  %35 = icmp eq i32 %34, %1
  br i1 %35, label %48, label %36

36:                                               ; preds = %30, %44
  %37 = phi i32 [ %39, %44 ], [ %25, %30 ]
  %38 = add nuw i32 %37, 1
  %39 = and i32 %38, %22
  %40 = zext i32 %39 to i64
  %41 = getelementptr inbounds nuw ptr, ptr %24, i64 %40
  %42 = load ptr, ptr %41, align 8
  %43 = icmp eq ptr %42, null
  br i1 %43, label %60, label %44, !llvm.loop !100

44:                                               ; preds = %36
  %45 = getelementptr inbounds nuw i32, ptr %32, i64 %40
  %46 = load i32, ptr %45, align 4
  %47 = icmp eq i32 %46, %1
  br i1 %47, label %48, label %36, !llvm.loop !100

48:                                               ; preds = %44, %30
  %49 = phi ptr [ %28, %30 ], [ %42, %44 ]
  %50 = zext nneg i32 %2 to i64
  %51 = getelementptr inbounds nuw i32, ptr %49, i64 %50
  %52 = load i32, ptr %51, align 4
  %53 = icmp ult i32 %52, %3
  br i1 %53, label %54, label %157

54:                                               ; preds = %48
  %55 = getelementptr inbounds nuw i8, ptr %49, i64 64
  %56 = getelementptr inbounds nuw i32, ptr %55, i64 %50
  %57 = load i32, ptr %56, align 4
  %58 = icmp uge i32 %57, %3
  %59 = zext i1 %58 to i32
  br label %60

60:                                               ; preds = %36, %20, %17, %54
  %61 = phi i32 [ 0, %20 ], [ %59, %54 ], [ 0, %17 ], [ 0, %36 ]
  %62 = getelementptr inbounds nuw i8, ptr %9, i64 856
  %63 = load ptr, ptr %62, align 8
  %64 = getelementptr inbounds nuw i8, ptr %63, i64 52
  %65 = load i32, ptr %64, align 4
  %66 = icmp eq i32 %65, 0
  br i1 %66, label %72, label %67

67:                                               ; preds = %60
  %68 = getelementptr inbounds nuw i8, ptr %9, i64 24
  %69 = mul i32 %1, -1640531535
  %70 = zext nneg i32 %2 to i64
  %71 = zext i32 %65 to i64
  br label %83

72:                                               ; preds = %127, %60
  %73 = phi i32 [ %61, %60 ], [ %129, %127 ]
  %74 = icmp eq i32 %73, 2
  %75 = icmp eq i32 %4, 0
  %76 = or i1 %75, %74
  %77 = icmp eq i32 %18, 0
  %78 = or i1 %76, %77
  br i1 %78, label %157, label %79

79:                                               ; preds = %72
  %80 = getelementptr inbounds nuw i8, ptr %9, i64 16
  %81 = getelementptr inbounds nuw i8, ptr %9, i64 8
  %82 = add nsw i32 %4, -1
  br label %134

83:                                               ; preds = %67, %127
  %84 = phi i64 [ 0, %67 ], [ %130, %127 ]
  %85 = phi i32 [ %61, %67 ], [ %129, %127 ]
  %86 = getelementptr inbounds nuw %struct.Map, ptr %68, i64 %84
  %87 = load i32, ptr %86, align 8
  %88 = icmp eq i32 %87, 0
  br i1 %88, label %127, label %89

89:                                               ; preds = %83
  %90 = add i32 %87, -1
  %91 = getelementptr inbounds nuw i8, ptr %86, i64 16
  %92 = load ptr, ptr %91, align 8
  %93 = and i32 %90, %69
  %94 = zext i32 %93 to i64
  %95 = getelementptr inbounds nuw ptr, ptr %92, i64 %94
  %96 = load ptr, ptr %95, align 8
  %97 = icmp eq ptr %96, null
  br i1 %97, label %127, label %98

98:                                               ; preds = %89
  %99 = getelementptr inbounds nuw i8, ptr %86, i64 8
  %100 = load ptr, ptr %99, align 8
  %101 = getelementptr inbounds nuw i32, ptr %100, i64 %94
  %102 = load i32, ptr %101, align 4
  %103 = icmp eq i32 %102, %1
  br i1 %103, label %116, label %104

104:                                              ; preds = %98, %112
  %105 = phi i32 [ %107, %112 ], [ %93, %98 ]
  %106 = add nuw i32 %105, 1
  %107 = and i32 %106, %90
  %108 = zext i32 %107 to i64
  %109 = getelementptr inbounds nuw ptr, ptr %92, i64 %108
  %110 = load ptr, ptr %109, align 8
  %111 = icmp eq ptr %110, null
  br i1 %111, label %127, label %112, !llvm.loop !100

112:                                              ; preds = %104
  %113 = getelementptr inbounds nuw i32, ptr %100, i64 %108
  %114 = load i32, ptr %113, align 4
  %115 = icmp eq i32 %114, %1
  br i1 %115, label %116, label %104, !llvm.loop !100

116:                                              ; preds = %112, %98
  %117 = phi ptr [ %96, %98 ], [ %110, %112 ]
  %118 = getelementptr inbounds nuw i32, ptr %117, i64 %70
  %119 = load i32, ptr %118, align 4
  %120 = icmp ult i32 %119, %3
  br i1 %120, label %121, label %127

121:                                              ; preds = %116
  %122 = getelementptr inbounds nuw i8, ptr %117, i64 64
  %123 = getelementptr inbounds nuw i32, ptr %122, i64 %70
  %124 = load i32, ptr %123, align 4
  %125 = icmp uge i32 %124, %3
  %126 = zext i1 %125 to i32
  br label %127

127:                                              ; preds = %104, %89, %83, %116, %121
  %128 = phi i32 [ 2, %116 ], [ %126, %121 ], [ 0, %83 ], [ 0, %89 ], [ 0, %104 ]
  %129 = tail call i32 @llvm.umax.i32(i32 %85, i32 %128)
  %130 = add nuw nsw i64 %84, 1
  %131 = icmp samesign ult i64 %130, %71
  %132 = icmp ult i32 %129, 2
  %133 = select i1 %131, i1 %132, i1 false
  br i1 %133, label %83, label %72, !llvm.loop !191

134:                                              ; preds = %79, %149
  %135 = phi i32 [ %18, %79 ], [ %150, %149 ]
  %136 = phi i64 [ 0, %79 ], [ %152, %149 ]
  %137 = phi i32 [ %73, %79 ], [ %151, %149 ]
  %138 = load ptr, ptr %80, align 8
  %139 = getelementptr inbounds nuw ptr, ptr %138, i64 %136
  %140 = load ptr, ptr %139, align 8
  %141 = icmp eq ptr %140, null
  br i1 %141, label %149, label %142

142:                                              ; preds = %134
  %143 = load ptr, ptr %81, align 8
  %144 = getelementptr inbounds nuw i32, ptr %143, i64 %136
  %145 = load i32, ptr %144, align 4
  %146 = tail call fastcc i32 @reach(i32 noundef %145, i32 noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %82) #18
  %147 = tail call i32 @llvm.umax.i32(i32 %137, i32 %146)
  %148 = load i32, ptr %9, align 8
  br label %149

149:                                              ; preds = %134, %142
  %150 = phi i32 [ %148, %142 ], [ %135, %134 ]
  %151 = phi i32 [ %147, %142 ], [ %137, %134 ]
  %152 = add nuw nsw i64 %136, 1
  %153 = zext i32 %150 to i64
  %154 = icmp samesign ult i64 %152, %153
  %155 = icmp ult i32 %151, 2
  %156 = select i1 %154, i1 %155, i1 false
  br i1 %156, label %134, label %157, !llvm.loop !192

157:                                              ; preds = %149, %48, %72, %5, %11
  %158 = phi i32 [ 0, %5 ], [ 0, %11 ], [ %73, %72 ], [ 2, %48 ], [ %151, %149 ]
  ret i32 %158
}

declare i32 @llvm.ctpop.i32(i32) #15

declare i32 @llvm.cttz.i32(i32, i1 immarg) #16

declare i32 @llvm.umin.i32(i32, i32) #15

declare i32 @llvm.umax.i32(i32, i32) #15

declare i32 @llvm.usub.sat.i32(i32, i32) #15

declare i64 @llvm.umin.i64(i64, i64) #15

declare i64 @llvm.umax.i64(i64, i64) #15

declare void @llvm.experimental.noalias.scope.decl(metadata) #17

declare i16 @llvm.umax.i16(i16, i16) #15

declare i64 @llvm.usub.sat.i64(i64, i64) #15

declare float @llvm.fabs.f32(float) #15

attributes #0 = { nounwind "no-builtins" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { noinline nounwind "no-builtins" }
attributes #3 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { "no-builtins" }
attributes #5 = { noinline noreturn nounwind "no-builtins" }
attributes #6 = { noreturn nounwind "no-builtins" }
attributes #7 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #8 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #9 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) "no-builtins" }
attributes #10 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #11 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #12 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #13 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #14 = { nofree nosync nounwind memory(readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "no-builtins" }
attributes #15 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #16 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #17 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #18 = { nobuiltin "no-builtins" }
attributes #19 = { nobuiltin nounwind "no-builtins" }
attributes #20 = { nounwind }


!0 = !{i32 7, !"Dwarf Version", i32 4}
!1 = !{i32 1, !"wchar_size", i32 4}
!2 = !{i32 7, !"uwtable", i32 2}
!3 = !{i32 7, !"frame-pointer", i32 2}
!4 = !{!"clang version 22.1.8"}
!5 = distinct !{!5, !6, !7}
!6 = !{!"llvm.loop.mustprogress"}
!7 = !{!"llvm.loop.unroll.disable"}
!8 = distinct !{!8, !6, !7}
!9 = distinct !{!9, !6, !7}
!10 = distinct !{!10, !6, !7}
!11 = distinct !{!11, !6, !7}
!12 = distinct !{!12, !6, !7}
!13 = distinct !{!13, !6, !7}
!14 = !{!15}
!15 = distinct !{!15, !16, !"spread: argument 0"}
!16 = distinct !{!16, !"spread"}
!17 = !{!18}
!18 = distinct !{!18, !16, !"spread: argument 1"}
!19 = distinct !{!19, !6, !7}
!20 = !{!21}
!21 = distinct !{!21, !22, !"spread: argument 0"}
!22 = distinct !{!22, !"spread"}
!23 = !{!24}
!24 = distinct !{!24, !22, !"spread: argument 1"}
!25 = distinct !{!25, !6, !7}
!26 = !{!27}
!27 = distinct !{!27, !28, !"spread: argument 0"}
!28 = distinct !{!28, !"spread"}
!29 = !{!30}
!30 = distinct !{!30, !28, !"spread: argument 1"}
!31 = distinct !{!31, !6, !7}
!32 = distinct !{!32, !6, !7}
!33 = distinct !{!33, !6, !7}
!34 = distinct !{!34, !6, !7}
!35 = distinct !{!35, !6, !7}
!36 = distinct !{!36, !6, !7}
!37 = distinct !{!37, !6, !7}
!38 = distinct !{!38, !6, !7}
!39 = distinct !{!39, !6, !7}
!40 = distinct !{!40, !6, !7}
!41 = distinct !{!41, !6, !7}
!42 = distinct !{!42, !6, !7}
!43 = distinct !{!43, !6, !7}
!44 = distinct !{!44, !6, !7}
!45 = distinct !{!45, !6, !7}
!46 = distinct !{!46, !6, !7}
!47 = distinct !{!47, !6, !7}
!48 = distinct !{!48, !6, !7}
!49 = distinct !{!49, !6, !7}
!50 = distinct !{!50, !6, !7}
!51 = distinct !{!51, !6, !7}
!52 = distinct !{!52, !6, !7}
!53 = !{!54}
!54 = distinct !{!54, !55, !"spread: argument 0"}
!55 = distinct !{!55, !"spread"}
!56 = !{!57}
!57 = distinct !{!57, !55, !"spread: argument 1"}
!58 = distinct !{!58, !6, !7}
!59 = distinct !{!59, !6, !7}
!60 = distinct !{!60, !6, !7}
!61 = !{!62}
!62 = distinct !{!62, !63, !"spread: argument 0"}
!63 = distinct !{!63, !"spread"}
!64 = !{!65}
!65 = distinct !{!65, !63, !"spread: argument 1"}
!66 = distinct !{!66, !6, !7}
!67 = distinct !{!67, !6, !7}
!68 = distinct !{!68, !6, !7}
!69 = distinct !{!69, !6, !7}
!70 = distinct !{!70, !6, !7}
!71 = distinct !{!71, !6, !7}
!72 = distinct !{!72, !6, !7}
!73 = distinct !{!73, !6, !7}
!74 = distinct !{!74, !6, !7}
!75 = distinct !{!75, !6, !7}
!76 = distinct !{!76, !6, !7}
!77 = distinct !{!77, !6, !7}
!78 = distinct !{!78, !6, !7}
!79 = !{!80}
!80 = distinct !{!80, !81, !"pack: argument 0"}
!81 = distinct !{!81, !"pack"}
!82 = !{!83}
!83 = distinct !{!83, !81, !"pack: argument 1"}
!84 = distinct !{!84, !6, !7}
!85 = !{!86}
!86 = distinct !{!86, !87, !"pack: argument 0"}
!87 = distinct !{!87, !"pack"}
!88 = !{!89}
!89 = distinct !{!89, !87, !"pack: argument 1"}
!90 = distinct !{!90, !6, !7}
!91 = distinct !{!91, !6, !7}
!92 = distinct !{!92, !6, !7}
!93 = distinct !{!93, !6, !7}
!94 = distinct !{!94, !6, !7}
!95 = distinct !{!95, !6, !7}
!96 = distinct !{!96, !6, !7}
!97 = distinct !{!97, !6, !7}
!98 = distinct !{!98, !7}
!99 = distinct !{!99, !6, !7}
!100 = distinct !{!100, !7}
!101 = distinct !{!101, !6, !7}
!102 = distinct !{!102, !6, !7}
!103 = distinct !{!103, !6, !7}
!104 = distinct !{!104, !6, !7}
!105 = distinct !{!105, !7}
!106 = distinct !{!106, !6, !7}
!107 = distinct !{!107, !6, !7}
!108 = distinct !{!108, !6, !7}
!109 = distinct !{!109, !6, !7}
!110 = distinct !{!110, !6, !7}
!111 = distinct !{!111, !6, !7}
!112 = distinct !{!112, !6, !7}
!113 = distinct !{!113, !6, !7}
!114 = distinct !{!114, !6, !7}
!115 = distinct !{!115, !6, !7}
!116 = distinct !{!116, !7}
!117 = distinct !{!117, !6, !7}
!118 = distinct !{!118, !6, !7}
!119 = distinct !{!119, !6, !7}
!120 = distinct !{!120, !6, !7}
!121 = distinct !{!121, !6, !7}
!122 = distinct !{!122, !6, !7}
!123 = distinct !{!123, !6, !7}
!124 = distinct !{!124, !6, !7}
!125 = distinct !{!125, !6, !7}
!126 = distinct !{!126, !6, !7}
!127 = distinct !{!127, !6, !7}
!128 = distinct !{!128, !6, !7}
!129 = distinct !{!129, !6, !7}
!130 = distinct !{!130, !6, !7}
!131 = distinct !{!131, !6, !7}
!132 = distinct !{!132, !6, !7}
!133 = distinct !{!133, !6, !7}
!134 = distinct !{!134, !6, !7}
!135 = distinct !{!135, !6, !7}
!136 = distinct !{!136, !6, !7}
!137 = distinct !{!137, !6, !7}
!138 = distinct !{!138, !6, !7}
!139 = distinct !{!139, !6, !7}
!140 = distinct !{!140, !6, !7}
!141 = distinct !{!141, !6, !7}
!142 = distinct !{!142, !6, !7}
!143 = distinct !{!143, !6, !7}
!144 = distinct !{!144, !6, !7}
!145 = distinct !{!145, !6, !7}
!146 = distinct !{!146, !6, !7}
!147 = distinct !{!147, !6, !7}
!148 = distinct !{!148, !6, !7}
!149 = distinct !{!149, !6, !7}
!150 = distinct !{!150, !6, !7}
!151 = distinct !{!151, !6, !7}
!152 = distinct !{!152, !6, !7}
!153 = distinct !{!153, !6, !7}
!154 = distinct !{!154, !6, !7}
!155 = distinct !{!155, !6, !7}
!156 = distinct !{!156, !6, !7}
!157 = distinct !{!157, !6, !7}
!158 = distinct !{!158, !6, !7}
!159 = distinct !{!159, !6, !7}
!160 = distinct !{!160, !6, !7}
!161 = distinct !{!161, !6, !7}
!162 = distinct !{!162, !6, !7}
!163 = distinct !{!163, !6, !7}
!164 = distinct !{!164, !6, !7}
!165 = distinct !{!165, !6, !7}
!166 = distinct !{!166, !6, !7}
!167 = distinct !{!167, !6, !7}
!168 = distinct !{!168, !6, !7}
!169 = distinct !{!169, !6, !7}
!170 = distinct !{!170, !6, !7}
!171 = distinct !{!171, !6, !7}
!172 = distinct !{!172, !6, !7}
!173 = distinct !{!173, !6, !7}
!174 = distinct !{!174, !6, !7}
!175 = distinct !{!175, !6, !7}
!176 = distinct !{!176, !6, !7}
!177 = distinct !{!177, !6, !7}
!178 = distinct !{!178, !6, !7}
!179 = distinct !{!179, !6, !7}
!180 = distinct !{!180, !6, !7}
!181 = distinct !{!181, !6, !7}
!182 = distinct !{!182, !6, !7}
!183 = distinct !{!183, !6, !7}
!184 = distinct !{!184, !6, !7}
!185 = distinct !{!185, !6, !7}
!186 = distinct !{!186, !6, !7}
!187 = distinct !{!187, !6, !7}
!188 = distinct !{!188, !6, !7}
!189 = distinct !{!189, !6, !7}
!190 = distinct !{!190, !6, !7}
!191 = distinct !{!191, !6, !7}
!192 = distinct !{!192, !6, !7}
